package statetest

import (
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

var backendLogs = []promise{
	{"a purge removes the log that a deleted thread has left, and leaves a thread alone that exists",
		func(w *backendWorld) {
			l := w.begin(key, "u1")
			w.append(l, 1, 3)
			w.works("Purge()", w.b.Purge(w.Context(), key))
			_, ids := w.log(key, state.FrameID{})
			w.equal("frames of a thread that exists", len(ids), 3)
			_, err := w.b.Delete(w.Context(), key)
			w.works("Delete()", err)
			_, ids = w.log(key, state.FrameID{Fence: l.Fence})
			w.equal("frames of a thread that is gone", len(ids), 4)
			w.works("Purge()", w.b.Purge(w.Context(), key))
			page, ids := w.log(key, state.FrameID{Fence: l.Fence})
			w.equal("whose log it is, and frames after a purge", []any{page.Born, len(ids)}, []any{"", 0})
			w.works("Purge() again", w.b.Purge(w.Context(), key))
			w.nothing(key)
			again := w.begin(key, "u2")
			w.equal("the next fence is higher", again.Fence > l.Fence, true)
		}},
	{"an append says what the newest frame was and what the attempt was told, and skips what is there",
		func(w *backendWorld) {
			l := w.begin(key, "u1")
			before, told, err := w.b.Append(w.Context(), l, 1, state.FrameID{}, frames(l, 1, 2))
			w.works("Append()", err)
			w.equal("before, told", []any{before.IsZero(), told}, []any{true, state.Flags{}})
			w.update(key, store.AttemptUpdate{Op: store.AttemptSignal, Run: l.Fence, Signal: state.SignalStop})
			before, told, err = w.b.Append(w.Context(), l, 1, state.FrameID{}, frames(l, 1, 4))
			w.works("Append()", err)
			w.equal("before, told", []any{before, told},
				[]any{state.FrameID{Fence: l.Fence, Seq: 2}, state.Flags{Stopped: true}})
			_, ids := w.log(key, state.FrameID{})
			w.equal("frames", ids, idsFrom(l, 1, 4))
		}},
	{"an append without the lease is refused, and one behind a missing frame finds the gap", func(w *backendWorld) {
		l := w.begin(key, "u1")
		other := *l
		other.Attempt = "another"
		_, _, err := w.b.Append(w.Context(), &other, 0, state.FrameID{}, frames(l, 1, 1))
		w.fails("Append()", err, state.ErrLeaseLost)
		_, _, err = w.b.Append(w.Context(), l, 0, state.FrameID{Fence: l.Fence, Seq: 2}, frames(l, 3, 1))
		w.fails("Append()", err, state.ErrGap)
		_, ids := w.log(key, state.FrameID{})
		w.equal("frames", len(ids), 0)
	}},
	{"a log is read in pages, from behind any frame up to its end", func(w *backendWorld) {
		const total = 600
		l := w.begin(key, "u1")
		for seq := uint64(1); seq <= total; seq += 100 {
			w.append(l, seq, 100)
		}
		w.write(w.commit(l, state.Commit{End: &state.End{Status: state.RunSuccess}}))
		next := w.begin(key, "u2")
		w.append(next, 1, 3)
		all := append(idsFrom(l, 1, total), idsFrom(next, 1, 3)...)
		last := all[len(all)-1]
		for _, from := range []int{0, 1, 255, 256, 257, total, total + 2} {
			after := state.FrameID{}
			if from > 0 {
				after = all[from-1]
			}
			page, ids := w.log(key, after)
			w.equal("frames", ids, all[from:])
			w.equal("last, end", []state.FrameID{page.Last, page.End}, []state.FrameID{last, last})
		}
		page, ids := w.log(key, last)
		w.equal("behind the last", []any{len(ids), page.End}, []any{0, last})
		_, ids = w.log(key, state.FrameID{Fence: next.Fence})
		w.equal("from the start of a run", ids, idsFrom(next, 1, 3))
	}},
	{"a frame is read as it was written", func(w *backendWorld) {
		l := w.begin(key, "u1")
		f := frames(l, 1, 1)[0]
		f.Type, f.Rev, f.Ending = agui.TypeRunError, 7, &state.Ending{}
		_, _, err := w.b.Append(w.Context(), l, 0, state.FrameID{}, []state.Frame{f})
		w.works("Append()", err)
		page, _ := w.log(key, state.FrameID{})
		w.equal("frame", page.Frames, []state.Frame{f})
	}},
	{"of a log that was trimmed the newest frame that is gone is known", func(w *backendWorld) {
		first := w.begin(key, "u1")
		w.append(first, 1, 3)
		w.write(w.commit(first,
			state.Commit{After: state.FrameID{Fence: first.Fence, Seq: 3}, End: &state.End{Status: state.RunSuccess}}))
		page, ids := w.log(key, state.FrameID{})
		w.equal("before", []any{ids, page.Cut.IsZero()}, []any{idsFrom(first, 1, 3), true})
		w.clock.Move(LogTTL + time.Second)
		second := w.begin(key, "u2")
		w.append(second, 1, 2)
		page, ids = w.log(key, state.FrameID{})
		w.equal("after", []any{ids, page.Cut}, []any{idsFrom(second, 1, 2), state.FrameID{Fence: first.Fence, Seq: 3}})
		w.equal("what it holds", []bool{w.holds(key, state.FrameID{Fence: first.Fence, Seq: 3}),
			w.holds(key, state.FrameID{Fence: second.Fence, Seq: 2})}, []bool{false, true})
	}},
	{"the log of a live run is not trimmed, however long it takes", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.append(l, 1, 2)
		for range 3 {
			w.clock.Move(LogTTL)
			w.update(key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
		}
		_, ids := w.log(key, state.FrameID{})
		w.equal("frames", ids, idsFrom(l, 1, 2))
	}},
	{"a log says of which thread it is, and is left for its readers when the thread is deleted", func(w *backendWorld) {
		begins := w.beginning(w.read(key, store.ReadOptions{}), "u1")
		w.write(begins)
		l := leaseOf(begins)
		w.append(l, 1, 2)
		page, _ := w.log(key, state.FrameID{})
		w.equal("born", page.Born, begins.Born)
		fence, err := w.b.Delete(w.Context(), key)
		w.works("Delete()", err)
		w.equal("fence", fence, l.Fence)
		w.nothing(key)
		page, ids := w.log(key, state.FrameID{Fence: l.Fence})
		w.equal("frames", ids, idsFrom(l, 1, 3))
		w.equal("the last frame", page.Frames[len(page.Frames)-1].Type, agui.TypeRunError)
		if page.Born != "" || page.Marker != "" && page.Marker != begins.Born {
			w.Fatalf("the log of a thread that is gone is of %q, %q", page.Born, page.Marker)
		}
		again := w.beginning(w.read(key, store.ReadOptions{}), "u1")
		w.write(again)
		page, ids = w.log(key, state.FrameID{})
		w.equal("the log of the next one", []any{page.Born, len(ids)}, []any{again.Born, 0})
	}},
	{"who follows a log, where that is possible, is told when somebody else changes it", func(w *backendWorld) {
		follower, ok := w.b.(store.LogFollower)
		if !ok {
			return // no other process writes the threads of such a backend
		}
		l := w.begin(key, "u1")
		w.append(l, 1, 3)
		at := state.FrameID{Fence: l.Fence, Seq: 1}
		w.until("the store is told when the log grows", func() bool {
			page, told, err := follower.FollowLog(w.Context(), key, at, 1)
			w.works("FollowLog()", err)
			w.equal("frames", len(page.Frames), 2)
			return told
		})
		_, err := w.b.Delete(w.Context(), key)
		w.works("Delete()", err)
		w.until("the store hears of the change", func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.ContainsFunc(w.events, func(e store.Event) bool {
				return e.Kind == store.EventGrown && e.Thread == key.Digest()
			})
		})
		follower.UnfollowLog(key, 1)
	}},
}
