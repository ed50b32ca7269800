package run

import (
	"context"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/lock"
)

// Replay takes an event that the log of this run has already, as if the run had sent it: it is verified and folded
// into the view, and the sink does not get it. A run that goes on with another's log is given all of it, in order,
// before it writes anything of its own.
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

// Handover ends the run for everybody who writes it now, and returns a run that goes on in its place: the same
// stream, under another writer. What the old writers send from now on is refused with [ErrRunEnded], and what they
// look at is empty. It is how a run comes to its end while an agent that does not listen is still at work.
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
