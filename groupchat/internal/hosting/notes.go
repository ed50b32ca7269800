package hosting

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
)

// MaxNotes is how many bytes the notes of a thread take at most.
const MaxNotes = 64 << 10

// Notes are what agents keep of a thread between its runs, and no client is shown: one value for each key. When they take too much
// room, those that were written longest ago are dropped: whoever keeps a note can do without. It is safe for concurrent use.
type Notes struct {
	mu      sync.Mutex
	kept    map[string]note
	newest  int
	changed bool
}

// A note is the value of a key. N grows with each one that is written.
type note struct {
	N     int             `json:"n"`
	Value json.RawMessage `json:"v"`
}

// Load replaces the notes by those that Changed returned in an earlier run; nil is none.
func (s *Notes) Load(raw json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.newest, s.changed = nil, 0, false
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &s.kept); err != nil {
		s.kept = nil
		return fmt.Errorf("notes: %w", err)
	}
	for _, n := range s.kept {
		s.newest = max(s.newest, n.N)
	}
	return nil
}

// Get returns the value of a key, nil if there is none.
func (s *Notes) Get(key string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key].Value
}

// Set gives a key a value; nil removes it. A value that is larger than all notes may be is not kept.
func (s *Notes) Set(key string, value json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if string(s.kept[key].Value) == string(value) {
		return
	}
	s.changed = true
	kept := maps.Clone(s.kept)
	if kept == nil {
		kept = map[string]note{}
	}
	s.kept = kept
	delete(kept, key)
	if value == nil || size(key, value) > MaxNotes {
		return
	}
	s.newest++
	kept[key] = note{s.newest, value}
	for s.size() > MaxNotes {
		s.dropOldest()
	}
}

// Changed returns the notes if any was written since it was last called, and nil otherwise. Notes that are all gone are an empty object.
func (s *Notes) Changed() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed {
		return nil
	}
	s.changed = false
	if len(s.kept) == 0 {
		return json.RawMessage("{}")
	}
	raw, err := json.Marshal(s.kept)
	if err != nil {
		return nil // of JSON
	}
	return raw
}

// size is about what a note takes.
func size(key string, value json.RawMessage) int {
	const rest = 32 // the number, and what is between
	return len(key) + len(value) + rest
}

func (s *Notes) size() int {
	sum := 0
	for key, n := range s.kept {
		sum += size(key, n.Value)
	}
	return sum
}

func (s *Notes) dropOldest() {
	oldest, at := "", s.newest+1
	for key, n := range s.kept {
		if n.N < at {
			oldest, at = key, n.N
		}
	}
	delete(s.kept, oldest)
}
