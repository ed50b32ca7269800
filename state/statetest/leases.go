package statetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

var leases = []sentence{
	{"a live run is noted to have readers for the longest that any of them said", func(w *world) {
		note := func(d, want time.Duration) {
			w.Helper()
			left, live, err := w.store.NoteReader(w.Context(), key, d)
			if err != nil || !live || left != want {
				w.Fatalf("NoteReader(%v) = %v, %v, %v, want %v", d, left, live, err, want)
			}
		}
		if _, _, err := w.store.NoteReader(w.Context(), key, time.Minute); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("NoteReader() = %v", err)
		}
		l := w.start("u1")
		if left, live, err := w.store.NoteReader(w.Context(), key, 0); err != nil || !live || left > -time.Hour {
			w.Fatalf("NoteReader() of a run that nobody ever read = %v, %v, %v", left, live, err)
		}
		note(time.Minute, time.Minute)
		note(time.Second, time.Minute)
		w.clock.Move(90 * time.Second)
		note(0, -30*time.Second)
		w.equal("read until", w.load().Live.ReadUntil, w.clock.Now().Add(-30*time.Second))
		w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}, Frames: frames(l, 1, 1)})
		note(0, -30*time.Second)
		l = w.take()
		note(0, -30*time.Second-2*leaseTTL)
		w.succeed(l, 1)
		if _, live, err := w.store.NoteReader(w.Context(), key, time.Minute); err != nil || live {
			w.Fatalf("NoteReader() of an idle thread = %v, %v", live, err)
		}
		w.start("u2")
		if left, live, err := w.store.NoteReader(w.Context(), key, 0); err != nil || !live || left > -time.Hour {
			w.Fatalf("NoteReader() of the next run = %v, %v, %v", left, live, err)
		}
	}},
	{"a lease, a question and a thread may last for ever", func(w *world) {
		for _, year := range []int{2242, 2243, 2262, 2263, 2900, 9000} {
			r := w.request(user(w.id()))
			r.Key.ID = fmt.Sprint("until ", year)
			b, err := w.store.Begin(w.Context(), r, state.LeaseOptions{Attempt: w.id(), TTL: math.MaxInt64})
			if err != nil {
				w.Fatalf("Begin() = %v", err)
			}
			if err := w.store.Renew(w.Context(), b.Lease, math.MaxInt64); err != nil {
				w.Fatalf("Renew() = %v", err)
			}
			if _, _, err := w.store.NoteReader(w.Context(), r.Key, math.MaxInt64); err != nil {
				w.Fatalf("NoteReader() = %v", err)
			}
			w.clock.Move(365 * 24 * time.Hour)
			w.equal("overdue", w.overdue(), []state.Key(nil))
			asked := w.token(w.id(), 0)
			asked.ExpiresAt = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
			_, err = w.store.Commit(w.Context(), b.Lease, state.Commit{
				Checkpoint: json.RawMessage(`1`), Frames: frames(b.Lease, 1, 1), Tokens: []state.Token{asked},
				End: &state.End{Status: state.RunInterrupt},
			})
			if err != nil {
				w.Fatalf("Commit() = %v", err)
			}
			w.clock.Move(2 * ThreadTTL)
			w.overdue() // removes expired threads
			_, open, err := w.store.Load(w.Context(), r.Key)
			if err != nil || len(open) != 1 {
				w.Fatalf("Load() = %d questions, %v until %d", len(open), err, year)
			}
		}
	}},
	{"a thread has at most one live attempt", func(w *world) {
		var running atomic.Int64
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				b, err := w.store.Begin(w.Context(), w.request(user(w.id())), w.lease())
				if err != nil {
					w.Errorf("Begin() = %v", err)
				} else if b.Verdict.Meaning.Runs() {
					running.Add(1)
				}
			})
		}
		all.Wait()
		w.equal("running", running.Load(), 1)
	}},
	{"fences grow, over a deletion and a clock that goes back", func(w *world) {
		l := w.start("u1")
		w.succeed(l, 1)
		if err := w.store.Delete(w.Context(), key); err != nil {
			w.Fatalf("Delete() = %v", err)
		}
		w.clock.Move(-leaseTTL)
		again := w.start("u1")
		if again.Fence <= l.Fence {
			w.Fatalf("fence = %d after %d", again.Fence, l.Fence)
		}
	}},
	{"a place in a log is none in that of the next thread of its name", func(w *world) {
		l := w.start("u1")
		w.succeed(l, 1)
		last := w.load().Last
		if err := w.store.Delete(w.Context(), key); err != nil {
			w.Fatalf("Delete() = %v", err)
		}
		again := w.start("u1")
		w.succeed(again, 1)
		for batch, err := range w.store.Tail(w.Context(), key, last) {
			if !errors.Is(err, state.ErrUnknownThread) {
				w.Fatalf("Tail() from another thread's place = %v, %v", batch, err)
			}
		}
		w.equal("frames", len(w.tail(state.FrameID{Fence: again.Fence}, 1)), 1)
	}},
	{"a fence never falls behind the clock", func(w *world) {
		if l := w.start("u1"); l.Fence < uint64(w.clock.Now().UnixMilli()) {
			w.Fatalf("fence = %d at %d", l.Fence, w.clock.Now().UnixMilli())
		}
	}},
	{"a run whose lease is over is overdue, a renewed one is not", func(w *world) {
		l := w.start("u1")
		w.clock.Move(leaseTTL - 1)
		if err := w.store.Renew(w.Context(), l, leaseTTL); err != nil {
			w.Fatalf("Renew() = %v", err)
		}
		w.clock.Move(leaseTTL - 1)
		w.equal("overdue", w.overdue(), []state.Key(nil))
		w.clock.Move(1)
		w.equal("overdue", w.overdue(), []state.Key{key})
	}},
	{"a released run is overdue at once, and no longer its owner's", func(w *world) {
		l := w.start("u1")
		if err := w.store.Release(w.Context(), l); err != nil {
			w.Fatalf("Release() = %v", err)
		}
		w.equal("overdue", w.overdue(), []state.Key{key})
		w.lost(l)
	}},
	{"only a run that is overdue can be taken, and by one", func(w *world) {
		w.start("u1")
		if _, err := w.store.Take(w.Context(), key, w.lease()); !errors.Is(err, state.ErrLeaseLost) {
			w.Fatalf("Take() of a living run = %v", err)
		}
		w.clock.Move(leaseTTL)
		var taken atomic.Int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				_, err := w.store.Take(w.Context(), key, w.lease())
				switch {
				case err == nil:
					taken.Add(1)
				case !errors.Is(err, state.ErrLeaseLost):
					w.Errorf("Take() = %v", err)
				}
			})
		}
		all.Wait()
		w.equal("taken", taken.Load(), 1)
	}},
	{"a run can be left to others for some time after its lease", func(w *world) {
		w.start("u1")
		o := w.lease()
		o.Overdue = leaseTTL
		w.clock.Move(2*leaseTTL - 1)
		if _, err := w.store.Take(w.Context(), key, o); !errors.Is(err, state.ErrLeaseLost) {
			w.Fatalf("Take() = %v", err)
		}
		w.clock.Move(1)
		b, err := w.store.Take(w.Context(), key, o)
		if err != nil {
			w.Fatalf("Take() = %v", err)
		}
		w.equal("time", b.Now, w.clock.Now())
	}},
	{"what a request came to says when, by the store's clock", func(w *world) {
		w.equal("time", w.begin(w.request(user("u1"))).Now, w.clock.Now())
		w.clock.Move(1)
		w.equal("time", w.begin(w.request(user("u1"))).Now, w.clock.Now())
	}},
	{"a takeover keeps the intent and the claims, unties, and counts the attempt", func(w *world) {
		w.ask(w.start("u1"), "int1")
		r := w.resume(resolved("int1", `"KLM"`))
		r.Tied = true
		r.Caller = state.Caller{Roles: []string{"editor"}, Claims: json.RawMessage(`{"tenant":"north"}`)}
		first := w.means(r, state.Resume, 1)
		before := first.Thread.Live.Intent
		second := w.take()
		live := w.load().Live
		w.equal("attempts", live.Intent.Attempts, 2)
		w.equal("claims", live.Intent.Claims, before.Claims)
		w.equal("caller", live.Intent.Caller, r.Caller)
		w.equal("origin, run", []any{live.Intent.Origin, live.Intent.RunID}, []any{first.Lease.Fence, r.RunID})
		w.equal("tied", live.Tied, false)
		if second.Fence <= first.Lease.Fence {
			w.Fatalf("fence = %d after %d", second.Fence, first.Lease.Fence)
		}
		third := w.take()
		w.equal("attempts", w.load().Live.Intent.Attempts, 3)
		w.lost(first.Lease)
		w.lost(second)
		w.succeed(third, 1)
	}},
	{"whoever lost the lease is told", func(w *world) {
		l := w.start("u1")
		w.take()
		w.equal("signal", w.nextSignal(l), state.SignalLost)
	}},
	{"results of effects are found by a takeover, until the next commit", func(w *world) {
		l := w.start("u1")
		for _, k := range []string{"a", "b"} {
			if err := w.store.Once(w.Context(), l, k, json.RawMessage(`"`+k+`"`)); err != nil {
				w.Fatalf("Once() = %v", err)
			}
		}
		l = w.take()
		w.equal("memo", w.load().Live.Memo, map[string]string{"a": "a", "b": "b"})
		t := w.commit(l, state.Commit{Checkpoint: json.RawMessage(`{"v":2}`)})
		w.equal("memo after the commit", len(t.Live.Memo), 0)
	}},
	{"stop and untie reach the attempt, once each, and admission", func(w *world) {
		r := w.request(user("u1"))
		r.Tied = true
		l := w.begin(r).Lease
		for _, s := range []state.Signal{state.SignalUntie, state.SignalStop, state.SignalStop} {
			if live, err := w.store.Signal(w.Context(), key, 0, s); err != nil || !live {
				w.Fatalf("Signal(%s) = %v, %v", s, live, err)
			}
		}
		w.equal("signals", []state.Signal{w.nextSignal(l), w.nextSignal(l)},
			[]state.Signal{state.SignalUntie, state.SignalStop})
		w.equal("more signals", len(l.Signals), 0)
		w.equal("tied", w.load().Live.Tied, false)
	}},
	{"a stop that nobody heard is told to the takeover", func(w *world) {
		w.start("u1")
		if _, err := w.store.Signal(w.Context(), key, 0, state.SignalStop); err != nil {
			w.Fatalf("Signal() = %v", err)
		}
		w.equal("signal", w.nextSignal(w.take()), state.SignalStop)
	}},
	{"nothing live hears nothing", func(w *world) {
		w.succeed(w.start("u1"), 1)
		live, err := w.store.Signal(w.Context(), key, 0, state.SignalStop)
		w.equal("Signal()", []any{live, err}, []any{false, nil})
	}},
	{"a run whose caller hung up is preempted while it is tied", func(w *world) {
		r := w.request(user("u1"))
		r.Tied = true
		w.begin(r)
		w.means(w.request(user("u2")), state.Busy, 5)
		if _, err := w.store.Signal(w.Context(), key, 0, state.SignalHungUp); err != nil {
			w.Fatalf("Signal() = %v", err)
		}
		w.means(w.request(user("u2")), state.Preempt, 5)
		w.means(r, state.Join, 4)
		if _, err := w.store.Signal(w.Context(), key, 0, state.SignalUntie); err != nil {
			w.Fatalf("Signal() = %v", err)
		}
		w.means(w.request(user("u2")), state.Busy, 5)
	}},
	{"a word to a run that is over does not reach the next", func(w *world) {
		r := w.request(user("u1"))
		r.Tied = true
		first := w.begin(r).Lease
		w.succeed(first, 1)
		r = w.request(user("u1"), user("u2"))
		r.Tied = true
		second := w.begin(r).Lease
		for _, s := range []state.Signal{state.SignalHungUp, state.SignalUntie, state.SignalStop} {
			live, err := w.store.Signal(w.Context(), key, first.Fence, s)
			w.equal("Signal()", []any{live, err}, []any{false, nil})
		}
		w.equal("signals", len(second.Signals), 0)
		w.means(w.request(user("u3")), state.Busy, 5)
		w.equal("tied", w.load().Live.Tied, true)
	}},
	{"a word to a run reaches its takeover", func(w *world) {
		first := w.start("u1")
		second := w.take()
		live, err := w.store.Signal(w.Context(), key, first.Fence, state.SignalStop)
		w.equal("Signal()", []any{live, err}, []any{true, nil})
		w.equal("signal", w.nextSignal(second), state.SignalStop)
	}},
	{"a commit that ends the run gives the lease back in the same transition", func(w *world) {
		l := w.start("u1")
		done := make(chan error, 1)
		go func() {
			_, err := w.store.Commit(w.Context(), l,
				state.Commit{Frames: frames(l, 1, 1), End: &state.End{Status: state.RunSuccess}})
			done <- err
		}()
		w.tail(state.FrameID{}, 1)
		w.means(w.request(user("u1"), user("u2")), state.Start, 11)
		w.equal("Commit()", <-done, nil)
	}},
}

func (w *world) overdue() []state.Key {
	w.Helper()
	keys, err := w.store.Overdue(w.Context(), 10)
	if err != nil {
		w.Fatalf("Overdue() = %v", err)
	}
	return keys
}

// lost holds every write of a lease to being refused, and to changing nothing.
func (w *world) lost(l *state.Lease) {
	w.Helper()
	before, err := w.store.Messages(w.Context(), l.Key, -1)
	known := err == nil
	ctx := w.Context()
	_, commit := w.store.Commit(ctx, l, state.Commit{Messages: []agui.Message{assistant("late")},
		State: json.RawMessage(`{"late":1}`), Frames: frames(l, 900, 1)})
	end := func() error {
		_, err := w.store.Commit(ctx, l,
			state.Commit{Frames: frames(l, 901, 1), End: &state.End{Status: state.RunSuccess}})
		return err
	}()
	for name, err := range map[string]error{
		"Append": w.store.Append(ctx, l, state.FrameID{}, frames(l, 900, 1)), "Commit": commit,
		"Commit of the end": end,
		"Once":              w.store.Once(ctx, l, "late", json.RawMessage(`1`)),
		"Renew":             w.store.Renew(ctx, l, leaseTTL),
	} {
		if !errors.Is(err, state.ErrLeaseLost) {
			w.Errorf("%s() of a lost lease = %v, want ErrLeaseLost", name, err)
		}
	}
	if !known {
		return
	}
	after, err := w.store.Messages(ctx, l.Key, -1)
	if err != nil {
		w.Fatal(err)
	}
	w.equal("messages", after, before)
	if holds, err := w.store.Holds(ctx, l.Key, state.FrameID{Fence: l.Fence, Seq: 900}); holds || err != nil {
		w.Errorf("Holds() of a late frame = %v, %v", holds, err)
	}
}
