package statetest

import (
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

var attempts = []promise{
	{"a lease lasts from its renewal on, and is overdue after that", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.clock.Move(leaseTTL - time.Second)
		w.equal("overdue within the lease", len(w.overdue(0)), 0)
		w.update(key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
		w.clock.Move(leaseTTL - time.Second)
		w.equal("overdue after the renewal", len(w.overdue(0)), 0)
		w.clock.Move(time.Second)
		w.equal("overdue", w.overdue(0), []state.Key{key})
		w.equal("so is the thread", w.read(key, store.ReadOptions{}).Thread.Overdue(w.clock.Now()), true)
		w.write(w.commit(l, end(l)))
		w.equal("overdue after the run", len(w.overdue(0)), 0)
	}},
	{"no more threads are overdue than are asked for", func(w *backendWorld) {
		for i := range 5 {
			w.begin(state.Key{Principal: "local", Agent: "travel", ID: "t" + strconv.Itoa(i)}, "u1")
		}
		w.clock.Move(leaseTTL)
		w.equal("overdue", []int{len(w.overdue(2)), len(w.overdue(0))}, []int{2, 5})
	}},
	{"a run that is given up is overdue at once, and its attempt holds nothing", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.update(key, store.AttemptUpdate{Op: store.AttemptRelease, Lease: l})
		w.equal("overdue", w.overdue(0), []state.Key{key})
		_, _, err := w.b.Append(w.Context(), l, 0, state.FrameID{}, frames(l, 1, 1))
		w.fails("Append()", err, state.ErrLeaseLost)
		_, err = w.b.UpdateAttempt(w.Context(), key,
			store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
		w.fails("UpdateAttempt()", err, state.ErrLeaseLost)
	}},
	{"changes of an attempt are no transitions", func(w *backendWorld) {
		l := w.begin(key, "u1")
		before := w.read(key, store.ReadOptions{})
		w.update(key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
		w.update(key, store.AttemptUpdate{Op: store.AttemptRecord, Lease: l, Effect: "", Result: object(1)})
		w.update(key, store.AttemptUpdate{Op: store.AttemptSignal, Signal: state.SignalStop})
		w.queue(key, store.QueueUpdate{Op: store.QueueHold, Ticket: "t1", TTL: leaseTTL})
		after := w.read(key, store.ReadOptions{})
		w.equal("tag, revision", []any{after.Tag, after.Thread.Rev}, []any{before.Tag, before.Thread.Rev})
		w.equal("an effect without a name", after.Thread.Live.Memo[""], object(1))
	}},
	{"a signal reaches the run that it is for and no other", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.equal("another run is live", w.update(key,
			store.AttemptUpdate{Op: store.AttemptSignal, Run: l.Fence + 1, Signal: state.SignalStop}).Live, false)
		w.equal("stopped", w.read(key, store.ReadOptions{}).Thread.Live.Stopped, false)
		w.equal("it is live", w.update(key,
			store.AttemptUpdate{Op: store.AttemptSignal, Run: l.Fence, Signal: state.SignalStop}).Live, true)
		w.equal("stopped", w.read(key, store.ReadOptions{}).Thread.Live.Stopped, true)
		w.write(w.commit(l, end(l)))
		w.equal("one is live",
			w.update(key, store.AttemptUpdate{Op: store.AttemptSignal, Signal: state.SignalStop}).Live, false)
	}},
	{"a reader is noted from now on, and never for less than it was", func(w *backendWorld) {
		w.begin(key, "u1")
		note := func(d time.Duration) time.Duration {
			return w.update(key, store.AttemptUpdate{Op: store.AttemptReader, TTL: d}).ReadLeft
		}
		w.equal("nobody", note(0) < 0, true)
		w.equal("left", []time.Duration{note(time.Minute), note(time.Second), note(0)},
			[]time.Duration{time.Minute, time.Minute, time.Minute})
		w.clock.Move(time.Minute + time.Second)
		w.equal("left", note(0), -time.Second)
	}},
	{"places in a queue are taken at its end, kept, taken before all others and given up", func(w *backendWorld) {
		w.begin(key, "u1")
		join := func(ticket string) []string {
			return w.queue(key, store.QueueUpdate{Op: store.QueueJoin, Ticket: ticket, TTL: leaseTTL,
				Base: w.read(key, store.ReadOptions{})})
		}
		join("t1")
		w.equal("tickets", join("t2"), []string{"t1", "t2"})
		w.equal("tickets", join("t1"), []string{"t1", "t2"})
		w.equal("tickets", w.queue(key, store.QueueUpdate{Op: store.QueueHold, Ticket: "t0", TTL: leaseTTL}),
			[]string{"t0", "t1", "t2"})
		w.equal("tickets", w.queue(key, store.QueueUpdate{Op: store.QueueLeave, Ticket: "t1"}), []string{"t0", "t2"})
		w.clock.Move(time.Second)
		t, now, err := w.b.UpdateQueue(w.Context(), key,
			store.QueueUpdate{Op: store.QueueRenew, Ticket: "t2", TTL: leaseTTL})
		w.works("UpdateQueue()", err)
		w.equal("renewed until, live", []bool{t.Queue[1].Until.Equal(w.clock.Now().Add(leaseTTL)), t.Live != nil},
			[]bool{true, true})
		w.equal("time", now.Equal(w.clock.Now()), true)
	}},
	{"a place in a queue that is not the one that was read is a conflict", func(w *backendWorld) {
		l := w.begin(key, "u1")
		base := w.read(key, store.ReadOptions{})
		w.queue(key, store.QueueUpdate{Op: store.QueueHold, Ticket: "t0", TTL: leaseTTL})
		_, _, err := w.b.UpdateQueue(w.Context(), key,
			store.QueueUpdate{Op: store.QueueJoin, Ticket: "t1", TTL: leaseTTL, Base: base})
		w.fails("UpdateQueue() of another queue", err, store.ErrConflict)
		base = w.read(key, store.ReadOptions{})
		w.write(w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}}))
		_, _, err = w.b.UpdateQueue(w.Context(), key,
			store.QueueUpdate{Op: store.QueueJoin, Ticket: "t1", TTL: leaseTTL, Base: base})
		w.fails("UpdateQueue() of another tag", err, store.ErrConflict)
		w.equal("tickets", ticketsOf(w.read(key, store.ReadOptions{}).Thread), []string{"t0"})
	}},
}

var places = []promise{
	{"a thread whose deadline is over does not exist, and the next one has a higher fence", func(w *backendWorld) {
		l := w.idle(key, "u1")
		w.clock.Move(ThreadTTL - time.Second)
		w.equal("exists", w.read(key, store.ReadOptions{}).Exists(), true)
		w.clock.Move(time.Second)
		w.nothing(key)
		again := w.begin(key, "u1")
		if again.Fence <= l.Fence {
			w.Fatalf("fence %d follows %d", again.Fence, l.Fence)
		}
		w.append(again, 1, 1)
		_, ids := w.log(key, state.FrameID{})
		w.equal("frames", ids, idsFrom(again, 1, 1))
	}},
	{"a thread with a live run has no deadline", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.clock.Move(2 * ThreadTTL)
		w.equal("exists", w.read(key, store.ReadOptions{}).Exists(), true)
		w.write(w.commit(l, end(l)))
		w.equal("exists", w.read(key, store.ReadOptions{}).Exists(), true)
	}},
	{"the state and the conversation are kept as they were at revisions that the log names", func(w *backendWorld) {
		run := func(n int) int64 {
			l := w.begin(key, "u"+strconv.Itoa(n))
			c := end(l, assistant("a"+strconv.Itoa(n)))
			c.State = object(n)
			write := w.commit(l, c)
			w.write(write)
			return write.Transition.Thread.Rev
		}
		old, now := run(1), run(2)
		both := []string{"u1", "a1", "u2", "a2"}
		for rev, want := range map[int64][]any{old: {object(1), []string{"u1", "a1"}}, now: {object(2), both},
			now + 5: {object(2), both}, -1: {object(2), both}} {
			text, err := w.b.State(w.Context(), key, rev)
			w.works("State()", err)
			list, err := w.messages(key, rev)
			w.works("Messages()", err)
			w.equal("at "+strconv.FormatInt(rev, 10), []any{text, list}, want)
		}
		w.clock.Move(LogTTL + time.Second)
		w.begin(key, "u9")
		_, err := w.b.State(w.Context(), key, old)
		w.fails("State() of a log that is trimmed", err, state.ErrRevision)
	}},
	{"threads are found by their id, in the order of their agents, and of one principal only", func(w *backendWorld) {
		for _, agent := range []string{"c", "a", "b"} {
			w.idle(state.Key{Principal: "local", Agent: agent, ID: "same"}, "u1")
		}
		w.idle(state.Key{Principal: "other", Agent: "d", ID: "same"}, "u1")
		w.idle(state.Key{Principal: "local", Agent: "a", ID: "another"}, "u1")
		w.equal("found", w.found(state.Key{Principal: "local", ID: "same"}), []state.Key{
			{Principal: "local", Agent: "a", ID: "same"}, {Principal: "local", Agent: "b", ID: "same"},
			{Principal: "local", Agent: "c", ID: "same"},
		})
	}},
	{"an index has the newest thread first, and goes on behind any place in it", func(w *backendWorld) {
		const threads = 7
		for i := range threads {
			w.idle(state.Key{Principal: "local", Agent: "agent" + strconv.Itoa(i%2), ID: "t" + strconv.Itoa(i)}, "u1")
			if i%3 > 0 { // some have the same time
				w.clock.Move(time.Second)
			}
		}
		w.idle(state.Key{Principal: "other", Agent: "agent0", ID: "t0"}, "u1")
		all := w.listed(store.IndexQuery{Principal: "local", Count: threads})
		w.equal("threads", len(all), threads)
		for i, e := range all {
			if i > 0 && all[i-1].At.Compare(e.At) >= 0 {
				w.Fatalf("%+v is listed before %+v", all[i-1].At, e.At)
			}
			w.equal("behind", w.listed(store.IndexQuery{Principal: "local", From: &e.At, Count: threads}), all[i+1:])
		}
		w.equal("of one agent", len(w.listed(store.IndexQuery{Principal: "local", Agent: "agent1", Count: threads})),
			threads/2)
		for _, err := range w.b.Index(w.Context(), store.IndexQuery{Principal: "local", Count: threads}) {
			w.works("Index()", err)
			break // stops early
		}
	}},
	{"an index shows what a thread is now", func(w *backendWorld) {
		w.idle(key, "u1")
		w.write(w.renaming(w.read(key, store.ReadOptions{}), "renamed"))
		w.clock.Move(time.Second)
		w.begin(key, "u2")
		list := w.listed(store.IndexQuery{Principal: key.Principal, Count: 2})
		w.equal("threads", len(list), 1)
		w.equal("key, title, status", []any{list[0].Summary.Key, list[0].Summary.Title, list[0].Summary.Status},
			[]any{key, "renamed", state.StatusRunning})
	}},
}
