package gateway

import (
	"context"
	"errors"
	"iter"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// framesOf yields the frames of a run after the given one, or from the first for the zero id: to the run's end or,
// while it is live, to the end of the log when the run was loaded. Its cost is proportional to the frames yielded.
func (g *Gateway) framesOf(ctx context.Context, run *namedRun, after state.FrameID) iter.Seq2[state.Frame, error] {
	return func(yield func(state.Frame, error) bool) {
		first := state.FrameID{Fence: run.Origin}
		if after.Less(first) {
			after = first
		}
		last := run.thread.Last
		if !after.Less(last) {
			return
		}
		for batch, err := range g.store.Tail(ctx, run.thread.Key, after) {
			if err != nil {
				yield(state.Frame{}, runLogError(err))
				return
			}
			for _, f := range batch {
				if run.next != 0 && f.ID.Fence >= run.next {
					return
				}
				if !yield(f, nil) || frame.Terminal(f) || !f.ID.Less(last) {
					return
				}
			}
		}
		if ctx.Err() != nil {
			yield(state.Frame{}, context.Cause(ctx))
		}
	}
}

// runLogError is [route.StoreError] for what the log of a run has lost because it is old.
func runLogError(err error) error {
	if errors.Is(err, state.ErrTrimmed) || errors.Is(err, state.ErrRevision) {
		return &errcode.Error{Code: errcode.LogTrimmed, Err: err}
	}
	return route.StoreError(err)
}
