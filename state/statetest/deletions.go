package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

var deletions = []sentence{
	{"who reads a thread that is deleted gets the rest of its log, and then that it is gone", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		next, stop := w.pull(state.FrameID{})
		defer stop()
		w.equal("before", w.pulled(next, 2), []string{"CUSTOM", "CUSTOM"})
		w.commit(l, state.Commit{Frames: frames(l, 3, 2), After: state.FrameID{Fence: l.Fence, Seq: 2},
			End: &state.End{Status: state.RunSuccess}})
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
		w.equal("from its first frame", w.tail(state.FrameID{Fence: l.Fence, Seq: 1}, 2),
			[]state.FrameID{{Fence: l.Fence, Seq: 2}, {Fence: l.Fence, Seq: 3}})
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

// shares are the sentences about what a principal's threads may take. None of them asks how much that is: a store
// counts as it likes.
var shares = []sentence{
	{"a run, a patch and a fork that would take a principal's threads beyond what they may are refused, and change " +
		"nothing", func(w *world) {
		w.succeed(w.start("u1"), 1)
		before := w.snapshot(key)
		r := w.request(user("u2"))
		r.MaxStored = 1
		_, begin := w.store.Begin(w.Context(), r, w.lease())
		_, patch := w.store.PatchState(w.Context(), w.merge(`{"to":"Rome"}`, 1))
		_, fork := w.store.Fork(w.Context(), key, "u1", "f", 1)
		for call, err := range map[string]error{"Begin()": begin, "PatchState()": patch, "Fork()": fork} {
			if !errors.Is(err, state.ErrStored) {
				w.Errorf("%s = %v, want ErrStored", call, err)
			}
		}
		w.equal("the thread", w.snapshot(key), before)
		w.unknown(state.Key{Principal: "local", Agent: "travel", ID: "f"})
	}},
	{"a run that just fits begins, and one with a byte more does not", func(w *world) {
		stored, err := state.NewStoredMessage(user("u1"))
		if err != nil {
			w.Fatal(err)
		}
		for most, want := range map[int64]error{int64(len(stored.Raw)): nil,
			int64(len(stored.Raw)) - 1: state.ErrStored} {
			r := w.request(user("u1")) // the first of its principal's
			r.Key.Principal, r.MaxStored = "principal-"+w.id(), most
			if _, err := w.store.Begin(w.Context(), r, w.lease()); !errors.Is(err, want) {
				w.Errorf("Begin() with room for %d bytes = %v, want %v", most, err, want)
			}
		}
	}},
	{"deleting threads makes room", func(w *world) {
		begin := func(id, text string, most int64) error {
			r := w.request(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent(text)})
			r.Key.ID, r.MaxStored = id, most
			b, err := w.store.Begin(w.Context(), r, w.lease())
			if err == nil {
				w.succeed(b.Lease, 1)
			}
			return err
		}
		const most = 100_000
		if err := begin(key.ID, strings.Repeat("x", most-1000), most); err != nil {
			w.Fatalf("Begin() of the first = %v", err)
		}
		if err := begin("second", strings.Repeat("x", most/2), most); !errors.Is(err, state.ErrStored) {
			w.Errorf("Begin() of the second = %v, want ErrStored", err)
		}
		w.delete()
		if err := begin("second", strings.Repeat("x", most/2), most); err != nil {
			w.Errorf("Begin() of the second after a deletion = %v", err)
		}
	}},
	{"an answer that was given before, and what is asked again, need no room", func(w *world) {
		l := w.start("u1")
		r := w.request(user("u1"))
		r.MaxStored = 1
		if _, err := w.store.Begin(w.Context(), r, w.lease()); err != nil {
			w.Errorf("Begin() beside a live run = %v", err)
		}
		w.succeed(l, 1)
		known := w.known("none")
		known.MaxStored = 1
		w.patched(known, state.PatchUnknown)
	}},
}

// merge is a merge patch of the thread.
func (w *world) merge(patch string, most int64) *state.PatchRequest {
	return &state.PatchRequest{Key: key, ID: w.id(),
		Patch: document.OutsidePatch{Merge: true, Body: json.RawMessage(patch)}, MaxStored: most}
}
