package groupchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/document"
)

// newExecution copies the session and fills in its defaults.
func newExecution(ctx context.Context, root Agent, s *Session) *execution {
	x := &execution{Session: *s, ctx: ctx, signature: signatureOf(root), keep: lock.New()}
	if x.MaxTurns == 0 {
		x.MaxTurns = maxTurns
	}
	if x.Log == nil {
		x.Log = slog.New(slog.DiscardHandler)
	}
	if x.Usage == nil {
		x.Usage = &Usage{}
	}
	if x.Notes == nil {
		x.Notes = &Notes{}
	}
	x.names, x.fans = namesOf(x.signature), map[string]*Concurrent{}
	fansOf(root, "", nil, x.fans)
	return x
}

func (x *execution) rootTurn() *Turn {
	t := &Turn{x: x, ctx: x.ctx, run: x.Run, out: x.Run.Writer, clientWriter: x.Run.Writer,
		scope: document.Shared(x.State), hooks: x.Hooks,
		filtered: &filteredWriters{}}
	t.begin(x.root)
	t.filter(x.Hooks)
	return t
}

// end returns the result of the run after its root turn ended with err.
func (x *execution) end(t *Turn, err error) (Result, error) {
	if cause := x.endCause(); cause != nil && (err != nil || x.ctx.Err() == nil) {
		return Result{}, cause
	}
	pause := pauseOf(err)
	if err != nil && pause == nil && len(t.filtered.list) == 0 {
		return Result{}, coded(err)
	}
	err = t.closeOpen(err)
	if pause = pauseOf(err); pause == nil {
		return Result{}, coded(err)
	}
	checkpoint, err := x.checkpoint()
	if err != nil {
		return Result{}, err
	}
	return Result{Pause: pause, Checkpoint: checkpoint, Closings: x.closings()}, nil
}

type execution struct {
	Session
	ctx       context.Context // the run's own: no turn has failed if it ends
	signature signature
	names     map[string]string // see namesOf

	keep lock.Lock // held while the run is committed, or what it commits is changed in two steps; locked before mu

	records
}

func (x *execution) enter(root Agent) error {
	if x.Checkpoint == nil {
		x.root = &turnRecord{ID: x.Origin, Form: (&Participant{Agent: root}).form()}
		return nil
	}
	var c checkpoint
	if err := json.Unmarshal(x.Checkpoint, &c); err != nil {
		return fail(errcode.CheckpointIncompatible, "checkpoint: %w", err)
	}
	if c.V != checkpointVersion || c.Root == nil {
		return fail(errcode.CheckpointIncompatible, "checkpoint of version %d", c.V)
	}
	if missing := x.signature.lacks(c.Signature); missing != "" {
		return fail(errcode.CheckpointIncompatible, "participant %q is gone", missing)
	}
	x.root = c.Root
	return x.resume(&Participant{Agent: root}, c.Root)
}

// checkpoint renders the records as they are now.
func (x *execution) checkpoint() (json.RawMessage, error) { return x.encode(x.signature) }

// commit keeps where the run is at a turn boundary.
func (x *execution) commit(ctx context.Context) error {
	raw, err := x.checkpoint()
	if err == nil {
		err = x.Journal.Commit(ctx, raw)
	}
	return x.fatal(err)
}

// endCause returns why the run must end whatever its agents do: a stop, a deadline, a failed writer or journal. It
// is nil while the run may continue.
func (x *execution) endCause() error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	if err := x.failure(); err != nil {
		return err
	}
	if err := x.Run.Err(); err != nil {
		return err
	}
	if x.Run.Ended() {
		return run.ErrRunEnded
	}
	return nil
}

// addReply records the usage and cost of a model call.
func (x *execution) addReply(reply *model.Reply) error {
	return x.count(reply.Cost, append(slices.Clip(reply.Earlier), reply.Usage)...)
}

func (x *execution) addUsage(list ...agui.TokenUsage) error { return x.count(nil, list...) }

func (x *execution) count(cost *float64, list ...agui.TokenUsage) error {
	list = slices.DeleteFunc(slices.Clone(list), func(u agui.TokenUsage) bool {
		return u == agui.TokenUsage{Provider: u.Provider, Model: u.Model} // nothing is known
	})
	if len(list) == 0 { // then there is no cost either
		return nil
	}
	return x.records.addUsage(x.Usage, x.Origin, cost, list)
}

// commit keeps where the run is at a boundary in t, unless others are at work at the same time: of what they are in the
// middle of, half would be kept. The last of them to end is followed by a commit.
func (t *Turn) commit(ctx context.Context) error {
	if err := t.x.keep.LockContext(ctx); err != nil {
		return err
	}
	defer t.x.keep.Unlock()
	if t.othersAtWork() {
		return nil
	}
	return t.x.commit(ctx)
}
