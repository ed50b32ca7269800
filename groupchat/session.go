package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// Message is a message of the conversation.
type Message = agui.Message

// A Journal keeps what a run must not lose. The gateway's writes to the store, fenced.
type Journal interface {
	// Commit is called at every turn boundary with the checkpoint to go on from. The conversation and the
	// state are as the run's view and document have them.
	Commit(ctx context.Context, checkpoint json.RawMessage) error
	// Once records the result of an effect before it is used.
	Once(ctx context.Context, key string, result json.RawMessage) error
}

// A Session is the surroundings of one run: what the turns read, and where what they do goes to.
type Session struct {
	Run     *agui.Run       // the only writer of the run's events
	State   *state.Document // the shared state; its changes are emitted by its owner
	Journal Journal
	Input   Input

	// Checkpoint is what a resumed run, or one that is taken over, goes on from; nil starts at the top.
	Checkpoint json.RawMessage
	// Answers are those of the resume, by interrupt id; Results those of frontend calls, by call id.
	Answers map[string]state.Answer
	Results map[string]agui.Content
	// Memo are the effects that were recorded and not yet committed when the run's last owner died.
	Memo map[string]json.RawMessage

	// Origin names the run for its whole life, takeovers included. Turn ids begin with it.
	Origin string
	NewID  func() string
	// Pace is the pause between the pieces of a scripted text.
	Pace time.Duration
	// MaxTurns is the budget of turns for the whole run, nested chats included; 0 means 1000.
	MaxTurns int
}

// Input is what the caller sent along.
type Input struct {
	ThreadID, RunID string
	Principal       string
	Tools           []agui.Tool
	Context         []agui.Context
	ForwardedProps  json.RawMessage
}

// A Result is how a run came to its end, other than by an error.
type Result struct {
	// Pause is what the run waits for; nil means it is done.
	Pause *Pause
	// Checkpoint is what a paused run goes on from.
	Checkpoint json.RawMessage
	// Closings are the events that follow the snapshots of a paused run: its subagents are suspended and
	// its steps end.
	Closings []agui.Event
}

// maxTurns is the default of Session.MaxTurns: far more than a sane team needs, few enough to end a loop.
const maxTurns = 1000

// Execute runs the root agent to its end, or to a pause. It returns when the agent and everything it started
// with [Turn.Go] has returned. A panic is an error.
func Execute(ctx context.Context, root Agent, s Session) (Result, error) {
	if s.MaxTurns == 0 {
		s.MaxTurns = maxTurns
	}
	x := &execution{Session: s, signature: SignatureOf(root)}
	if err := x.enter(); err != nil {
		return Result{}, err
	}
	t := &Turn{x: x, ctx: ctx, frame: x.root, out: s.Run.As(""), scope: state.Shared(s.State)}
	err := t.run(root)
	pause := pauseOf(err)
	if pause == nil {
		return Result{}, err
	}
	checkpoint, err := x.checkpoint()
	if err != nil {
		return Result{}, err
	}
	return Result{Pause: pause, Checkpoint: checkpoint, Closings: x.closings}, nil
}

// An execution is one run under way.
type execution struct {
	Session
	signature Signature

	mu       sync.Mutex // guards what follows, and every frame
	root     *TurnFrame
	turns    int
	closings []agui.Event // innermost first
}

// enter finds the frame the run starts from.
func (x *execution) enter() error {
	if x.Checkpoint == nil {
		x.root = &TurnFrame{ID: x.Origin}
		return nil
	}
	var c Checkpoint
	if err := json.Unmarshal(x.Checkpoint, &c); err != nil {
		return fail(agui.CodeCheckpointIncompatible, "checkpoint: %w", err)
	}
	if c.V != checkpointVersion || c.Root == nil {
		return fail(agui.CodeCheckpointIncompatible, "checkpoint of version %d", c.V)
	}
	if missing := x.signature.Lacks(c.Signature); missing != "" {
		return fail(agui.CodeCheckpointIncompatible, "participant %q is gone", missing)
	}
	x.root = c.Root
	return nil
}

// checkpoint renders the frames as they are now.
func (x *execution) checkpoint() (json.RawMessage, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	raw, err := json.Marshal(Checkpoint{V: checkpointVersion, Signature: x.signature, Root: x.root})
	if err != nil {
		return nil, fmt.Errorf("groupchat: checkpoint: %w", err)
	}
	return raw, nil
}

// commit keeps where the run is at a turn boundary.
func (x *execution) commit(ctx context.Context) error {
	raw, err := x.checkpoint()
	if err != nil {
		return err
	}
	return x.Journal.Commit(ctx, raw)
}

// messages is the conversation so far.
func (x *execution) messages() []Message {
	var all []Message
	x.Run.Inspect(func(v *agui.View) { all = v.Messages() })
	return all
}

// spend takes one turn from the run's budget.
func (x *execution) spend() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.turns++
	if x.turns > x.MaxTurns {
		return fail(agui.CodeNotConverged, "more than %d turns", x.MaxTurns)
	}
	return nil
}

// suspend keeps the events that end a paused turn until the snapshots are out.
func (x *execution) suspend(events ...agui.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closings = append(x.closings, events...)
}

// A PanicError is a panic of an agent's code. Its value may hold anything and is for the log only.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the panic's value.
func (p *PanicError) Error() string { return fmt.Sprintf("groupchat: panic: %v", p.Value) }

// protect turns a panic of f into an error.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &agui.Error{Code: agui.CodeAgentFailed, Err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	return f()
}

// interrupted reports whether err is the run's end rather than the agent's: a stop, a deadline, a writer
// that can write no more.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, agui.ErrRunEnded)
}
