package run

import (
	"context"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/lock"
)

// Replay applies an event that is already in the run's log: it is verified and folded into the view, and not passed to
// the sink. A run that continues another's log is given all of it, in order, before it writes.
func (r *Run) Replay(e agui.Event) error {
	return r.locked(func() error {
		if err := r.view.open.Check(e); err != nil {
			return err
		}
		if err := r.view.Apply(e); err != nil {
			return err
		}
		switch e.(type) {
		case *agui.RunFinished, *agui.RunError:
			r.ended = true
		}
		return nil
	})
}

// Handover ends the run for its current writers, and returns a run that continues the same stream with a new writer.
// Later events of the old writers are refused with [ErrRunEnded], and their views are empty.
func (r *Run) Handover() *Run {
	r.interrupt(ErrRunEnded)
	r.mu.Lock()
	defer r.mu.Unlock()
	heir := &Run{o: r.o, mu: lock.New(), view: r.view, chunks: r.chunks, err: r.err, ended: r.ended}
	heir.Writer = heir.As("")
	heir.view.patching, heir.interrupt = context.WithCancelCause(context.Background())
	r.view, r.chunks, r.ended = NewView(nil, nil), agui.Expander{}, true
	return heir
}
