package thread

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// Run validates agent, and lets it answer one message of a person, without a server and without a store, in a new
// thread. Questions of the agent are in the result, which can be answered.
//
//	result, err := thread.Run(ctx, agent, "Plan my trip to Paris")
//	…
//	for len(result.Questions) > 0 {
//		result, err = result.Answer(ctx, map[string]any{result.Questions[0].Key: "KLM"})
//		…
//	}
//	fmt.Println(result.Text)
func Run(ctx context.Context, agent groupchat.Agent, text string) (*Result, error) {
	if v, ok := groupchat.As[interface{ Validate() error }](agent); ok {
		if err := v.Validate(); err != nil {
			return nil, fail(errcode.Internal, "%w", err)
		}
	}
	return New(agent, Options{}).Say(ctx, text)
}

// A Result is the result of one run of a [Thread] that did not fail.
type Result struct {
	// Text is the last message of the run, by any agent of the team; empty if there is none.
	Text string
	// Messages are those that the run added to the conversation, without those of people.
	Messages []groupchat.Message
	// State is the shared state at the run's end, a JSON object.
	State json.RawMessage
	// Questions are for people, and Calls for the frontend's tools: the run continues when they are answered. Both are
	// empty if it is done.
	Questions []Question
	Calls     []Call
	// Usage is the usage of models in this run, per provider and model, and Cost its cost by the models' prices; nil if
	// no price is known.
	Usage []agui.TokenUsage
	Cost  *float64

	thread *Thread
}

// Done reports whether the run has no open questions and calls.
func (r *Result) Done() bool { return len(r.Questions)+len(r.Calls) == 0 }

// Answer calls [Thread.Answer] of the result's thread.
func (r *Result) Answer(ctx context.Context, answers map[string]any) (*Result, error) {
	return r.thread.Answer(ctx, answers)
}

// Thread returns the thread of the run.
func (r *Result) Thread() *Thread { return r.thread }

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
