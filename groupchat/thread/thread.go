package thread

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// Options are the start of a [Thread] and its callbacks. The zero value is valid.
type Options struct {
	// State is the initial shared state: a JSON object, or nothing. Members that it lacks come from the agent's
	// [groupchat.StateSpec].
	State json.RawMessage
	// Messages are those of an earlier conversation.
	Messages []groupchat.Message
	// Input is the input of each run, such as the principal, context and the tools of a frontend. Empty ids are filled
	// in.
	Input groupchat.Input
	// Hooks apply to all runs of the thread.
	Hooks []groupchat.Hooks
	// Events is called with every event of an active run, in the order of AG-UI, by one goroutine at a time; other
	// writers of the run wait. It must not call the thread. An error ends the run and is returned.
	Events func(agui.Event) error
	// Save is called with the thread as JSON whenever another process could continue from there: when a run starts,
	// after each turn, when an effect is recorded ([groupchat.Once]) and when the run ends. Another thread loads it
	// with UnmarshalJSON and continues with [Thread.Resume]. It is called by one goroutine at a time; its cost grows
	// with the thread. An error ends the run and is returned.
	Save func(ctx context.Context, thread json.RawMessage) error
	// MaxTurns is the budget of turns of one run, nested chats included; 0 means 1000.
	MaxTurns int
	// Log receives reasons of managers (at debug), and causes of failures that an error policy skipped. Nil disables
	// logging.
	Log *slog.Logger
	// NewID makes the ids of messages, calls and questions; nil means random text. It is called by several goroutines
	// at once.
	NewID func() string
}

// A Thread is one conversation with an agent in memory. It executes runs as the gateway does, one at a time, but no
// other reader joins its runs, and its questions stay open for ever. Between runs it is plain JSON: MarshalJSON stores
// it, and UnmarshalJSON restores it in another process with the same agent. Its methods may be called by several
// goroutines; a second run at the same time is refused with the code run_in_progress.
type Thread struct {
	agent groupchat.Agent
	o     Options

	running sync.Mutex // held for a run, never waited for: TryLock only
	mu      sync.Mutex // guards kept
	kept    savedThread
	usage   groupchat.Usage // of all runs
}

// New returns a thread with agent and the messages of o.
func New(agent groupchat.Agent, o Options) *Thread {
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	if o.Input.ThreadID == "" {
		o.Input.ThreadID = o.NewID()
	}
	return &Thread{agent: agent, o: o,
		kept: savedThread{V: threadVersion, ID: o.Input.ThreadID, Messages: slices.Clone(o.Messages), State: o.State}}
}

// Say runs the agent on a new message of a person. While a question is open it is refused with the code
// interrupt_pending; open calls of the frontend's tools get a result that says they were not answered.
func (t *Thread) Say(ctx context.Context, text string) (*Result, error) {
	return t.Send(ctx, groupchat.Message{Role: agui.RoleUser, Content: agui.TextContent(text)})
}

// Send is Say for messages with parts, such as images, or several at once. Messages without an id get one.
func (t *Thread) Send(ctx context.Context, messages ...groupchat.Message) (*Result, error) {
	if !t.running.TryLock() {
		return nil, fail(errcode.RunInProgress, "the thread has an active run")
	}
	defer t.running.Unlock()
	next := t.saved()
	if next.Live != nil {
		return nil, errInterrupted
	}
	if w := next.Waiting; w != nil {
		if len(w.Questions) > 0 {
			return nil, fail(errcode.InterruptPending, "%d questions are open", len(w.Questions))
		}
		for _, c := range w.Calls {
			next.add(t.toolMessage(c.ID, agui.TextContent(state.NotAnswered)))
		}
	}
	for _, m := range messages {
		if m.ID == "" {
			m.ID = t.o.NewID()
		}
		next.add(m)
	}
	next.Waiting, next.Live = nil, &liveRun{Origin: t.o.NewID()}
	return t.run(ctx, next, false)
}

// errInterrupted is returned where a thread was saved in the middle of a run.
var errInterrupted = &errcode.Error{Code: errcode.RunInProgress,
	Err: errors.New("the thread was saved during a run; call Resume first")}

// Resume continues a run that was active when the thread was saved, from the last turn that had ended. If the thread
// waits for answers it enters the paused turns again, which wait for the same. Otherwise it fails with the code
// not_found.
func (t *Thread) Resume(ctx context.Context) (*Result, error) {
	if !t.running.TryLock() {
		return nil, fail(errcode.RunInProgress, "the thread has an active run")
	}
	defer t.running.Unlock()
	next := t.saved()
	switch w := next.Waiting; {
	case next.Live != nil:
		return t.run(ctx, next, true)
	case w != nil:
		next.Live = &liveRun{Origin: t.o.NewID(), Checkpoint: w.Checkpoint, Effects: w.Effects}
		return t.run(ctx, next, false)
	default:
		return nil, fail(errcode.NotFound, "the thread waits for nothing")
	}
}

// Messages returns the conversation so far. The caller must not change the messages.
func (t *Thread) Messages() []groupchat.Message {
	return slices.Clone(t.saved().Messages)
}

// State returns the shared state, a JSON object; nothing before the first run, unless [Options] has one.
func (t *Thread) State() json.RawMessage {
	return slices.Clone(t.saved().State)
}

// Usage returns the usage of models in all runs of the thread since it was made, failed ones included, and the known
// part of its cost.
func (t *Thread) Usage() ([]agui.TokenUsage, *float64) { return t.usage.Total(), t.usage.Cost() }

// toolMessage returns the message with the result of a call.
func (t *Thread) toolMessage(call string, result agui.Content) groupchat.Message {
	return groupchat.Message{ID: t.o.NewID(), Role: agui.RoleTool, ToolCallID: call, Content: result}
}

func fail(code errcode.Code, format string, args ...any) error {
	return &errcode.Error{Code: code, Err: fmt.Errorf("thread: "+format, args...)}
}
