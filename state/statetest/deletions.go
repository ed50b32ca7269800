package statetest

import (
	"context"
	"errors"
	"iter"

	"github.com/agui-gateway/gateway/state"
)

var deletions = []sentence{
	{"who reads a thread that is deleted gets the rest of its log, and then that it is gone", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		next, stop := w.pull(state.FrameID{})
		defer stop()
		w.equal("before", w.pulled(next, 2), []string{"CUSTOM", "CUSTOM"})
		w.commit(l, state.Commit{Frames: frames(l, 3, 2), After: state.FrameID{Fence: l.Fence, Seq: 2}, End: &state.End{Status: state.RunSuccess}})
		w.delete()
		w.equal("after", w.pulled(next, 2), []string{"CUSTOM", "CUSTOM"})
		w.over(next)
		w.unknown(key)
	}},
	{"who reads a run whose thread is deleted is told that it was stopped", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		next, stop := w.pull(state.FrameID{})
		defer stop()
		w.equal("before", w.pulled(next, 2), []string{"CUSTOM", "CUSTOM"})
		w.delete()
		w.lost(l)
		w.equal("after", w.pulled(next, 1), []string{"RUN_ERROR"})
		w.over(next)
	}},
	{"who reads a run before its first frame is told so too", func(w *world) {
		w.succeed(w.start("u1"), 1)
		next, stop := w.pull(state.FrameID{})
		defer stop()
		w.equal("before", w.pulled(next, 1), []string{"CUSTOM"})
		w.start("u2")
		w.delete()
		w.equal("after", w.pulled(next, 1), []string{"RUN_ERROR"})
		w.over(next)
	}},
	{"who knows the run of a thread that is deleted can still read on, and nobody else", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		w.delete()
		next, stop := w.pull(state.FrameID{Fence: l.Fence})
		defer stop()
		w.equal("from its start", w.pulled(next, 3), []string{"CUSTOM", "CUSTOM", "RUN_ERROR"})
		w.over(next)
		w.equal("from its first frame", w.tail(state.FrameID{Fence: l.Fence, Seq: 1}, 2), []state.FrameID{{Fence: l.Fence, Seq: 2}, {Fence: l.Fence, Seq: 3}})
		for _, at := range []state.FrameID{{}, {Fence: l.Fence, Seq: 3}, {Fence: l.Fence - 1, Seq: 9}} {
			next, stop := w.pull(at)
			defer stop()
			w.over(next)
		}
	}},
	{"who reads a deleted thread is shown nothing of the next one of its name", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 1)
		next, stop := w.pull(state.FrameID{})
		defer stop()
		w.equal("before", w.pulled(next, 1), []string{"CUSTOM"})
		w.delete()
		w.succeed(w.start("u9"), 1)
		w.delete()
		for {
			batch, err, ok := next()
			if !ok || errors.Is(err, state.ErrUnknownThread) {
				return
			}
			if err != nil || batch[0].ID.Fence != l.Fence {
				w.Fatalf("Tail() of a deleted thread = %v, %v", batch, err)
			}
		}
	}},
}

func (w *world) delete() {
	w.Helper()
	if err := w.store.Delete(w.Context(), key); err != nil {
		w.Fatalf("Delete() = %v", err)
	}
}

// A puller reads a log batch by batch.
type puller func() ([]state.Frame, error, bool)

func (w *world) pull(after state.FrameID) (next puller, stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	pull, end := iter.Pull2(w.store.Tail(ctx, key, after))
	return pull, func() {
		cancel()
		end()
	}
}

// pulled are the types of the next n frames.
func (w *world) pulled(next puller, n int) []string {
	w.Helper()
	var types []string
	for len(types) < n {
		batch, err, ok := next()
		if !ok || err != nil {
			w.Fatalf("Tail() = %v, %v behind %v", batch, err, types)
		}
		for _, f := range batch {
			types = append(types, string(f.Type))
		}
	}
	return types
}

// over holds a tail to saying that its thread is gone.
func (w *world) over(next puller) {
	w.Helper()
	if batch, err, _ := next(); !errors.Is(err, state.ErrUnknownThread) {
		w.Fatalf("Tail() of a deleted thread = %v, %v, want ErrUnknownThread", batch, err)
	}
}
