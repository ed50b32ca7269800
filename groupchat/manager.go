package groupchat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Manager decides who speaks next. It sees shared state and never owns any: completeness is judged by
// what the state holds (see [state.Filled]). A chat makes a fresh one per run.
type Manager interface {
	Next(ctx context.Context, v View) (Decision, error)
}

// ManagerFunc is a function that is a [Manager].
type ManagerFunc func(ctx context.Context, v View) (Decision, error)

// Next calls f.
func (f ManagerFunc) Next(ctx context.Context, v View) (Decision, error) { return f(ctx, v) }

// A View is what a manager sees of its chat.
type View struct {
	Round        int    // turns dispatched so far
	LastSpeaker  string // empty before the first turn
	InARow       int    // turns that the last speaker has had one after the other
	Idle         string // the last speaker if its turn did nothing: choosing it again now ends the run with no_progress
	Goto         string // whom the last speaker named with [Turn.Goto]
	Participants []Info
	State        state.Reader
	Failed       map[string]int // per participant, turns that failed and were skipped
	Declined     map[string]int // per participant, turns in which a person called a question off

	history func() []Message
	turn    *Turn // the chat's, for managers that record what they decide
}

// History is the whole conversation. It is read when it is asked for, so that a manager that does not look at it costs the
// same on a long thread as on a short one.
func (v View) History() []Message {
	if v.history == nil {
		return nil
	}
	return v.history()
}

// WithHistory returns v with another conversation.
func (v View) WithHistory(messages []Message) View {
	v.history = func() []Message { return messages }
	return v
}

// LastUser returns the newest user message of the conversation, and whether there is one.
func (v View) LastUser() (Message, bool) {
	for _, m := range slices.Backward(v.History()) {
		if m.Role == agui.RoleUser {
			return m, true
		}
	}
	return Message{}, false
}

// A Decision is what a manager decides.
type Decision struct {
	Speaker string // who speaks next, or
	Done    bool   // nobody: the chat has come to its end
	// Say is what the supervisor says itself, before the speaker does.
	Say string
	// Act is what else the supervisor does in its own step, after Say: change state, say more. It must not ask.
	Act func(ctx context.Context, t *Turn) error
	// Instruction is for the speaker and this turn only; it does not join the conversation.
	Instruction string
	// Reason is for the log.
	Reason string
}

// A Filter is a [Manager] that decides what the participants see of each other's messages. The conversation
// itself stays as it is. Deliver must not change the messages; it may be called from several goroutines.
type Filter interface {
	Deliver(v View, messages []Message) []Message
}

// A Snapshotter is a [Manager] with something of its own to remember over pauses.
type Snapshotter interface {
	Snapshot() (json.RawMessage, error)
	Restore(saved json.RawMessage) error
}

// A Checker is a [Manager] that can tell at build time whether it fits a chat with these participants.
type Checker interface {
	Check(participants []string) error
}
