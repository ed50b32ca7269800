package groupchat

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// ThreadOptions are what a [Thread] begins with, and who looks on. The zero value is valid.
type ThreadOptions struct {
	// State is what the shared state begins with: a JSON object, or nothing. What the agent declares ([StateSpec]) fills in what it lacks.
	State json.RawMessage
	// Messages are those of an earlier conversation.
	Messages []Message
	// Input is what callers send along with each run, such as the principal, context and the tools of a frontend. The ids and the agent's
	// name in it are filled in if they are empty.
	Input Input
	// Hooks hold for everything that is done in the thread's runs.
	Hooks []Hooks
	// Events is told of every event of a run while it goes on, in the order of AG-UI. It is called by one goroutine at a time, for which
	// other writers of the run wait, and must not call the thread. An error ends the run and is returned.
	Events func(agui.Event) error
	// Save is given the thread as JSON whenever another process could go on from there: when a run starts, after each turn, when
	// an effect is recorded ([Once]) and when the run ends. Another thread takes it with UnmarshalJSON and goes on with
	// [Thread.Resume]. It is called by one goroutine at a time; it costs what the thread is long. An error ends the run and is returned.
	Save func(ctx context.Context, thread json.RawMessage) error
	// MaxTurns is the budget of turns of one run, nested chats included; 0 means 1000.
	MaxTurns int
	// Log gets what nobody else is told: reasons of managers (at debug), and causes of failures that a policy passed over. Nil keeps silent.
	Log *slog.Logger
	// NewID makes the ids of messages, calls and questions; nil means random text. It is called by several goroutines at once.
	NewID func() string
}

// A Thread is one conversation with an agent, kept in memory: for programs without a server, and for tests. It executes runs as
// the gateway does, one at a time, but is nobody's server: nobody else joins its runs, and its questions stay open for ever.
// Between runs it is plain JSON, so it can be stored (MarshalJSON) and taken up again by another process with the same agent
// (UnmarshalJSON). Its methods may be called by several goroutines; a run that finds another going on is refused with the code
// run_in_progress.
type Thread struct {
	agent Agent
	o     ThreadOptions

	running sync.Mutex // held for a run, never waited for: TryLock only
	mu      sync.Mutex // guards kept
	kept    savedThread
	usage   Usage // of all runs
}

// NewThread returns a thread with agent, which nobody has said anything in.
func NewThread(agent Agent, o ThreadOptions) *Thread {
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	if o.Input.ThreadID == "" {
		o.Input.ThreadID = o.NewID()
	}
	return &Thread{agent: agent, o: o, kept: savedThread{V: threadVersion, ID: o.Input.ThreadID, Messages: slices.Clone(o.Messages), State: o.State}}
}

// Say runs the agent on a new message of a person's. While a question is open it is refused with the code interrupt_pending; calls of
// the frontend's tools that nobody has answered get a result that says so.
func (t *Thread) Say(ctx context.Context, text string) (*RunResult, error) {
	return t.Send(ctx, Message{Role: agui.RoleUser, Content: agui.TextContent(text)})
}

// Send is Say for messages with parts, such as images, or several at once. Those without an id are given one.
func (t *Thread) Send(ctx context.Context, messages ...Message) (*RunResult, error) {
	if !t.running.TryLock() {
		return nil, fail(errcode.RunInProgress, "the thread has a run that goes on")
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
var errInterrupted = &errcode.Error{Code: errcode.RunInProgress, Err: errors.New("the thread was saved during a run; call Resume first")}

// Resume goes on with a run that was going on when the thread was saved, in another process perhaps, from the last turn that had
// ended by then. Where the thread waits for answers it enters the paused turns again, which wait for the same; where it does neither,
// it fails with the code not_found.
func (t *Thread) Resume(ctx context.Context) (*RunResult, error) {
	if !t.running.TryLock() {
		return nil, fail(errcode.RunInProgress, "the thread has a run that goes on")
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

// Messages is the conversation so far. The caller must not change the messages.
func (t *Thread) Messages() []Message {
	return slices.Clone(t.saved().Messages)
}

// State is the shared state, a JSON object; nothing before the first run, unless the thread began with one.
func (t *Thread) State() json.RawMessage {
	return slices.Clone(t.saved().State)
}

// Usage is what models used in all runs of the thread since it was made, failed ones included, and what is known of its cost.
func (t *Thread) Usage() ([]agui.TokenUsage, *float64) { return t.usage.Total(), t.usage.Cost() }

// toolMessage is the result of a call.
func (t *Thread) toolMessage(call string, result agui.Content) Message {
	return Message{ID: t.o.NewID(), Role: agui.RoleTool, ToolCallID: call, Content: result}
}
