package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
)

// MaxNotes is the limit of the notes of a thread, in bytes; the oldest are dropped.
const MaxNotes = 64 << 10

// Notes are what the agents of a thread keep between its runs without showing it to clients, one value for each key,
// such as the summary of a conversation that is longer than a model's context. They are JSON of at most [MaxNotes]
// bytes. A thread that lost them computes them again. The zero value is empty. It is safe for concurrent use.
type Notes struct {
	mu      sync.Mutex
	kept    map[string]storedNote
	newest  int
	changed bool
}

// Load replaces the notes by what Changed returned in an earlier run of the thread; nil is none.
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

// Set gives a key a value; nil removes it. A value larger than MaxNotes is not kept.
func (s *Notes) Set(key string, value json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if string(s.kept[key].Value) == string(value) {
		return
	}
	s.changed = true
	kept := maps.Clone(s.kept)
	if kept == nil {
		kept = map[string]storedNote{}
	}
	s.kept = kept
	delete(kept, key)
	if value == nil || noteSize(key, value) > MaxNotes {
		return
	}
	s.newest++
	kept[key] = storedNote{s.newest, value}
	for s.size() > MaxNotes {
		s.dropOldest()
	}
}

// Changed returns all notes if any was written since it was last called, and nil otherwise; an empty object if all were
// removed. A host stores them with each commit, and at the end of the run even if it failed.
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
		return nil // impossible: the values are JSON
	}
	return raw
}

func (s *Notes) size() int {
	sum := 0
	for key, n := range s.kept {
		sum += noteSize(key, n.Value)
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

// A storedNote is the value of a key. N grows with each one that is written.
type storedNote struct {
	N     int             `json:"n"`
	Value json.RawMessage `json:"v"`
}

func noteSize(key string, value json.RawMessage) int {
	const rest = 32 // the number and the punctuation
	return len(key) + len(value) + rest
}
