package groupchat

import (
	"crypto/rand"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// threadVersion is that of a [savedThread]. A thread with another one is refused.
const threadVersion = 1

// A savedThread is a [Thread] as JSON.
type savedThread struct {
	V        int             `json:"v"`
	ID       string          `json:"id"`
	Messages []Message       `json:"messages,omitempty"`
	State    json.RawMessage `json:"state,omitempty"`
	// Notes are those of the agents.
	Notes json.RawMessage `json:"notes,omitempty"`
	// Waiting is what a paused run waits for; nil if the last run is done.
	Waiting *waitingRun `json:"waiting,omitempty"`
	// Live is the run that went on when the thread was saved.
	Live *liveRun `json:"live,omitempty"`
}

// A waitingRun is one that waits for people, or for a frontend.
type waitingRun struct {
	Checkpoint json.RawMessage `json:"checkpoint"`
	Questions  []Interrupt     `json:"questions,omitempty"`
	Calls      []state.Call    `json:"calls,omitempty"`
	// Effects are those that a run recorded which brought answers and failed before its first commit.
	Effects map[string]json.RawMessage `json:"effects,omitempty"`
}

// A liveRun is what a run goes on from, and what it was given.
type liveRun struct {
	Origin     string                     `json:"origin"`
	Checkpoint json.RawMessage            `json:"checkpoint,omitempty"`
	Answers    map[string]state.Answer    `json:"answers,omitempty"`
	Results    map[string]agui.Content    `json:"results,omitempty"`
	Effects    map[string]json.RawMessage `json:"effects,omitempty"` // since the checkpoint
}

// add appends a message, and leaves those who hold the list alone.
func (s *savedThread) add(m Message) {
	s.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], m)
}

// saved is the thread as it is.
func (t *Thread) saved() savedThread {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// keep makes s what the thread is.
func (t *Thread) keep(s savedThread) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = s
}

// MarshalJSON is the thread as it is between runs, or while a run goes on as it was after the last turn of it.
func (t *Thread) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.saved())
}

// UnmarshalJSON makes t a thread that was saved. Its agent has to be the one of then, as far as paused turns go: what does not fit
// is refused when the thread goes on, with the code checkpoint_incompatible. What is no thread is an error with that code, and t stays as it is.
func (t *Thread) UnmarshalJSON(data []byte) error {
	if !t.running.TryLock() {
		return fail(errcode.RunInProgress, "the thread has a run that goes on")
	}
	defer t.running.Unlock()
	var s savedThread
	if err := json.Unmarshal(data, &s); err != nil {
		return fail(errcode.CheckpointIncompatible, "thread: %w", err)
	}
	if s.V != threadVersion || s.ID == "" {
		return fail(errcode.CheckpointIncompatible, "a thread of version %d", s.V)
	}
	if t.o.NewID == nil {
		t.o.NewID = rand.Text
	}
	t.o.Input.ThreadID = s.ID
	t.keep(s)
	return nil
}
