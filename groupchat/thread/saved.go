package thread

import (
	"crypto/rand"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// threadVersion is that of a [savedThread]. A thread with another one is refused.
const threadVersion = 1

type savedThread struct {
	V        int                 `json:"v"`
	ID       string              `json:"id"`
	Messages []groupchat.Message `json:"messages,omitempty"`
	State    json.RawMessage     `json:"state,omitempty"`
	// Notes are those of the agents.
	Notes json.RawMessage `json:"notes,omitempty"`
	// Waiting is the paused run; nil if the last run is done.
	Waiting *waitingRun `json:"waiting,omitempty"`
	// Live is the run that was active when the thread was saved.
	Live *liveRun `json:"live,omitempty"`
}

// A waitingRun waits for people, or for a frontend.
type waitingRun struct {
	Checkpoint json.RawMessage `json:"checkpoint"`
	Questions  []ask.Interrupt `json:"questions,omitempty"`
	Calls      []state.Call    `json:"calls,omitempty"`
	// Effects are those of a run that brought answers and failed before its first commit.
	Effects map[string]json.RawMessage `json:"effects,omitempty"`
}

// A liveRun is the starting point and the input of a run.
type liveRun struct {
	Origin     string                     `json:"origin"`
	Checkpoint json.RawMessage            `json:"checkpoint,omitempty"`
	Answers    map[string]state.Answer    `json:"answers,omitempty"`
	Results    map[string]agui.Content    `json:"results,omitempty"`
	Effects    map[string]json.RawMessage `json:"effects,omitempty"` // since the checkpoint
}

func (s *savedThread) add(m groupchat.Message) {
	s.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], m)
}

func (t *Thread) saved() savedThread {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

func (t *Thread) keep(s savedThread) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = s
}

// MarshalJSON encodes the thread; during a run as it was after the last turn.
func (t *Thread) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.saved())
}

// UnmarshalJSON restores a saved thread. Paused turns need the agent that they began with: a misfit is refused when the
// thread continues, with the code checkpoint_incompatible. Other JSON than a thread fails with that code and does not
// change t.
func (t *Thread) UnmarshalJSON(data []byte) error {
	if !t.running.TryLock() {
		return fail(errcode.RunInProgress, "the thread has an active run")
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
