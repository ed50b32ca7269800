package groupchat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Usage counts what a run's models use, those of remote agents included, per provider and model. The zero value is
// empty. It is safe for concurrent use.
type Usage struct {
	mu    sync.Mutex
	total []agui.TokenUsage
	cost  *float64
}

// Add adds usage.
func (u *Usage) Add(more ...agui.TokenUsage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total = state.AddUsage(u.total, more)
}

// Total returns the usage so far.
func (u *Usage) Total() []agui.TokenUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.total)
}

// AddCost adds the cost of a call, in the currency of the models' prices; nil if it is unknown.
func (u *Usage) AddCost(more *float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cost = state.AddCost(u.cost, more)
}

// Cost returns the cost of the calls with a known price; nil if there was none. The caller must not change it.
func (u *Usage) Cost() *float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cost
}

// A runUsage is the usage of a run in its checkpoints, under usageKey. Another run that continues from the checkpoint
// starts at zero.
type runUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
	Cost   *float64          `json:"cost,omitempty"`
}

// usageKey is the key of a [runUsage] in the memo of the root's record.
const usageKey = "usage"

// EarlierUsage returns what earlier attempts at the run of this origin used, and the known part of its cost, from the
// checkpoint and the recorded effects that a takeover continues from. Usage that an attempt did not record is unknown.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage,
	origin string) ([]agui.TokenUsage, *float64) {
	var c struct {
		Root struct {
			Memo map[string]json.RawMessage `json:"memo"`
		} `json:"root"`
	}
	var kept runUsage
	var total []agui.TokenUsage
	var cost *float64
	if json.Unmarshal(checkpoint, &c) == nil && json.Unmarshal(c.Root.Memo[usageKey], &kept) == nil &&
		kept.Origin == origin {
		total, cost = kept.Usage, kept.Cost
	}
	for key, raw := range memo {
		var reply struct {
			Usage   agui.TokenUsage   `json:"usage"`
			Earlier []agui.TokenUsage `json:"earlier"`
			Cost    *float64          `json:"cost"`
		}
		if strings.Contains(key, "/"+onceKey+modelKey) && json.Unmarshal(raw, &reply) == nil &&
			(reply.Usage.Provider != "" || len(reply.Earlier) > 0) {
			total = state.AddUsage(total, append(reply.Earlier, reply.Usage))
			cost = state.AddCost(cost, reply.Cost)
		}
	}
	return total, cost
}

// Usage returns what the models of the run used so far, per provider and model, including earlier attempts and agents
// on other servers, without calls in progress. It is safe for concurrent use.
func (t *Turn) Usage() []agui.TokenUsage {
	return t.x.Usage.Total()
}

// ThreadUsage returns [Turn.Usage] plus the usage of the thread's earlier runs.
func (t *Turn) ThreadUsage() []agui.TokenUsage {
	return state.AddUsage(t.x.Input.ThreadUsage, t.Usage())
}

// MaxNotes is the limit of the notes of a thread, in bytes; the oldest are dropped.
const MaxNotes = 64 << 10

// Notes are what the agents of a thread keep between its runs without showing it to clients, one value for each key,
// such as the summary of a conversation that is longer than a model's context. They are JSON of at most [MaxNotes]
// bytes. A thread that lost them computes them again. The zero value is empty. It is safe for concurrent use.
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

// get returns the value of a key, nil if there is none.
func (s *Notes) get(key string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key].Value
}

// set gives a key a value; nil removes it. A value larger than MaxNotes is not kept.
func (s *Notes) set(key string, value json.RawMessage) {
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
	if value == nil || noteSize(key, value) > MaxNotes {
		return
	}
	s.newest++
	kept[key] = note{s.newest, value}
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

func noteSize(key string, value json.RawMessage) int {
	const rest = 32 // the number and the punctuation
	return len(key) + len(value) + rest
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
