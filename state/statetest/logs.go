package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

var logs = []sentence{
	{"frames appended again are there once", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 3)
		w.append(l, 1, 3)
		w.append(l, 2, 4)
		w.succeed(l, 5)
		w.equal("frames", len(w.tail(state.FrameID{}, 5)), 5)
	}},
	{"an append behind a frame that is missing finds the gap", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		after := state.FrameID{Fence: l.Fence, Seq: 4}
		if err := w.store.Append(w.Context(), l, after, frames(l, 5, 1)); !errors.Is(err, state.ErrGap) {
			w.Fatalf("Append() = %v, want ErrGap", err)
		}
		if _, err := w.store.Commit(w.Context(), l,
			state.Commit{After: after, Frames: frames(l, 5, 1)}); !errors.Is(err, state.ErrGap) {
			w.Fatalf("Commit() = %v, want ErrGap", err)
		}
		w.append(l, 3, 3)
	}},
	{"frames of another fence are not written", func(w *world) {
		l := w.start("u1")
		other := *l
		other.Fence++
		if err := w.store.Append(w.Context(), l, state.FrameID{}, frames(&other, 1, 1)); err == nil {
			w.Fatalf("Append() = nil")
		}
	}},
	{"a commit's frames follow what was appended, and those there already are skipped", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		t := w.commit(l, state.Commit{Frames: frames(l, 2, 2)})
		w.equal("last", t.Last, state.FrameID{Fence: l.Fence, Seq: 3})
		w.equal("last", w.load().Last, t.Last)
		w.equal("frames", len(w.tail(state.FrameID{}, 3)), 3)
	}},
	{"a marker in a commit gets the commit's revision", func(w *world) {
		l := w.start("u1")
		marked := frames(l, 1, 1)
		marked[0].Rev, marked[0].At = state.ThisRev, 1234
		t := w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}, Frames: marked})
		for batch, err := range w.store.Tail(w.Context(), key, state.FrameID{}) {
			if err != nil {
				w.Fatalf("Tail() = %v", err)
			}
			w.equal("revision and time", []int64{batch[0].Rev, batch[0].At}, []int64{t.Rev, 1234})
			break
		}
	}},
	{"a tail sees every frame once and in order, over a takeover and over runs", func(w *world) {
		l := w.start("u1")
		const readers, total = 4, 31
		got := make(chan []state.FrameID, readers)
		for range readers {
			go func() {
				var ids []state.FrameID
				defer func() { got <- ids }()
				for batch, err := range w.store.Tail(w.Context(), key, state.FrameID{}) {
					if err != nil {
						return
					}
					for _, f := range batch {
						ids = append(ids, f.ID)
					}
					if len(ids) >= total {
						return
					}
				}
			}()
		}
		for seq := uint64(1); seq <= 10; seq++ {
			w.append(l, seq, 1)
		}
		l = w.take()
		w.append(l, 1, 10)
		w.succeed(l, 11)
		l = w.start("u2")
		w.append(l, 1, 9)
		w.succeed(l, 10)
		want := w.tail(state.FrameID{}, total)
		if !slices.IsSortedFunc(want, state.FrameID.Compare) || len(slices.Compact(slices.Clone(want))) != total {
			w.Fatalf("tail = %v", want)
		}
		for range readers {
			w.equal("tail", <-got, want)
		}
		w.equal("tail behind a cursor", w.tail(want[12], total-13), want[13:])
	}},
	{"a tail ends with its context", func(w *world) {
		w.succeed(w.start("u1"), 1)
		ctx, cancel := context.WithCancel(w.Context())
		for _, err := range w.store.Tail(ctx, key, state.FrameID{}) {
			if err != nil {
				w.Fatalf("Tail() = %v", err)
			}
			cancel()
		}
		cancel()
	}},
	{"a tail of an unknown or deleted thread says so", func(w *world) {
		unknown := func() error {
			for _, err := range w.store.Tail(w.Context(), key, state.FrameID{}) {
				if err != nil {
					return err
				}
			}
			return nil
		}
		if err := unknown(); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Tail() = %v", err)
		}
		w.succeed(w.start("u1"), 1)
		ended := make(chan error, 1)
		seen := make(chan struct{})
		see := sync.OnceFunc(func() { close(seen) })
		go func() {
			var last error
			for _, err := range w.store.Tail(w.Context(), key, state.FrameID{}) {
				if last = err; err == nil {
					see()
				}
			}
			ended <- last
		}()
		<-seen
		if err := w.store.Delete(w.Context(), key); err != nil {
			w.Fatalf("Delete() = %v", err)
		}
		if err := <-ended; !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Tail() = %v", err)
		}
	}},
	{"the log of a run is kept while it lives and for a while after its end", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		first := state.FrameID{Fence: l.Fence, Seq: 1}
		w.clock.Move(2 * LogTTL)
		w.holds(first, true)
		t := w.succeed(l, 3)
		w.clock.Move(LogTTL - 1)
		w.holds(first, true)
		w.holds(state.FrameID{Fence: l.Fence, Seq: 4}, false)
		next := w.start("u2")
		w.append(next, 1, 1)
		w.clock.Move(1)
		w.holds(first, false)
		w.holds(t.Last, false)
		w.equal("what is left", w.tail(state.FrameID{}, 1), []state.FrameID{{Fence: next.Fence, Seq: 1}})
	}},
	{"a tail says that what comes next is not kept any more", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		end := w.succeed(l, 3).Last
		trimmed := func(after state.FrameID) {
			w.Helper()
			for batch, err := range w.store.Tail(w.Context(), key, after) {
				if !errors.Is(err, state.ErrTrimmed) {
					w.Fatalf("Tail(%v) = %v, %v, want %v", after, batch, err, state.ErrTrimmed)
				}
			}
		}
		w.clock.Move(2 * LogTTL)
		trimmed(state.FrameID{Fence: l.Fence})
		trimmed(state.FrameID{Fence: l.Fence, Seq: 2})
		next := w.start("u2")
		w.append(next, 1, 2)
		trimmed(state.FrameID{Fence: l.Fence, Seq: 2})
		want := []state.FrameID{{Fence: next.Fence, Seq: 1}, {Fence: next.Fence, Seq: 2}}
		w.equal("tail behind what was trimmed", w.tail(end, 2), want)
		w.equal("tail of the next run", w.tail(state.FrameID{Fence: next.Fence}, 2), want)
		w.equal("tail of what is kept", w.tail(state.FrameID{}, 2), want)
	}},
	{"the newest frame is known after the log was trimmed", func(w *world) {
		t := w.succeed(w.start("u1"), 1)
		w.clock.Move(2 * LogTTL)
		w.holds(t.Last, false)
		w.equal("last", w.load().Last, t.Last)
	}},
	{"a commit made again is made once", func(w *world) {
		l := w.start("u1")
		middle := state.Commit{Messages: []agui.Message{assistant("a1")}, Checkpoint: json.RawMessage(`{}`),
			Frames: frames(l, 1, 2)}
		w.equal("thread", w.commit(l, middle), w.commit(l, middle))
		end := state.Commit{Messages: []agui.Message{assistant("a2")}, Frames: frames(l, 3, 1),
			End: &state.End{Status: state.RunSuccess}}
		w.equal("thread", w.commit(l, end), w.commit(l, end))
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "a2"})
		w.start("u2")
		w.commit(l, end) // the next run does not undo an end
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "a2", "u2"})
	}},
}

func (w *world) holds(id state.FrameID, want bool) {
	w.Helper()
	got, err := w.store.Holds(w.Context(), key, id)
	if err != nil || got != want {
		w.Fatalf("Holds(%s) = %v, %v, want %v", id, got, err, want)
	}
}
