package statetest

import (
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

var crashes = []sentence{
	{"a begin whose answer was lost is the same run when it is made again", func(w *world) {
		w.ask(w.start("u1"), "int1")
		r, o := w.resume(resolved("int1", `1`)), w.lease()
		w.store.Fail(CallBegin, After)
		if _, err := w.store.Begin(w.Context(), r, o); !errors.Is(err, ErrFault) {
			w.Fatalf("Begin() = %v", err)
		}
		b, err := w.store.Begin(w.Context(), r, o)
		if err != nil || b.Verdict.Meaning != state.Resume || b.Lease == nil {
			w.Fatalf("Begin() again = %+v, %v", b, err)
		}
		w.equal("attempts, runs", []int{b.Thread.Live.Intent.Attempts, len(w.snapshot(key).Runs)}, []int{1, 2})
		w.succeed(b.Lease, 1)
	}},
	{"a begin whose caller died is taken over", func(w *world) {
		w.store.Fail(CallBegin, After)
		if _, err := w.store.Begin(w.Context(), w.request(user("u1")), w.lease()); !errors.Is(err, ErrFault) {
			w.Fatalf("Begin() = %v", err)
		}
		w.succeed(w.take(), 1)
		w.equal("messages", w.messages(-1), []string{"u1"})
	}},
	{"a take whose answer was lost is the same attempt when it is made again", func(w *world) {
		w.start("u1")
		w.clock.Move(leaseTTL)
		o := w.lease()
		w.store.Fail(CallTake, After)
		if _, err := w.store.Take(w.Context(), key, o); !errors.Is(err, ErrFault) {
			w.Fatalf("Take() = %v", err)
		}
		b, err := w.store.Take(w.Context(), key, o)
		if err != nil {
			w.Fatalf("Take() again = %v", err)
		}
		w.equal("attempts", b.Thread.Live.Intent.Attempts, 2)
		w.succeed(b.Lease, 1)
	}},
	{"writes that failed are made again, whichever way they failed", func(w *world) {
		for _, fault := range []Fault{Before, After} {
			l := w.start(w.id())
			do := func(call Call, f func() error) {
				w.store.Fail(call, fault)
				if err := f(); !errors.Is(err, ErrFault) {
					w.Fatalf("%s = %v", call, err)
				}
				if err := f(); err != nil {
					w.Fatalf("%s again = %v", call, err)
				}
			}
			ctx := w.Context()
			do(CallAppend, func() error { return w.store.Append(ctx, l, state.FrameID{}, frames(l, 1, 2)) })
			do(CallOnce, func() error { return w.store.Once(ctx, l, "k", json.RawMessage(`1`)) })
			do(CallRenew, func() error { return w.store.Renew(ctx, l, leaseTTL) })
			message := assistant(w.id())
			count := len(w.messages(-1))
			do(CallCommit, func() error {
				_, err := w.store.Commit(ctx, l, state.Commit{
					Messages: []agui.Message{message}, Frames: frames(l, 3, 1),
					End: &state.End{Status: state.RunSuccess},
				})
				return err
			})
			w.equal("messages", len(w.messages(-1)), count+1)
		}
	}},
	{"a commit without frames that is made again is made once", func(w *world) {
		l := w.start("u1")
		c := state.Commit{Number: 1, Messages: []agui.Message{assistant("a1")}, Checkpoint: json.RawMessage(`{"v":1}`)}
		w.store.Fail(CallCommit, After)
		if _, err := w.store.Commit(w.Context(), l, c); !errors.Is(err, ErrFault) {
			w.Fatalf("Commit() = %v", err)
		}
		rev := w.load().Rev
		// Another of the agent's goroutines has done something meanwhile.
		if err := w.store.Once(w.Context(), l, "k", json.RawMessage(`"booked"`)); err != nil {
			w.Fatalf("Once() = %v", err)
		}
		w.equal("revision", w.commit(l, c).Rev, rev)
		l = w.take()
		w.equal("memo", w.load().Live.Memo, map[string]string{"k": "booked"})
		c.Messages = []agui.Message{assistant("a2")} // the first commit of another attempt is another commit
		w.commit(l, c)
		w.equal("messages", w.messages(-1), []string{"u1", "a1", "a2"})
	}},
	{"a crash between the claim and the commit loses neither the answer nor the run", func(w *world) {
		for _, fault := range []Fault{Before, After} {
			id := "int-" + w.id()
			w.ask(w.start(w.id()), id)
			b := w.means(w.resume(resolved(id, `1`)), state.Resume, 1)
			w.store.Fail(CallCommit, fault)
			c := state.Commit{Messages: []agui.Message{assistant(w.id())}, Frames: frames(b.Lease, 1, 1),
				End: &state.End{Status: state.RunSuccess}}
			if _, err := w.store.Commit(w.Context(), b.Lease, c); !errors.Is(err, ErrFault) {
				w.Fatalf("Commit() = %v", err)
			}
			// The owner dies here.
			if fault == Before {
				l := w.take()
				w.equal("claims", len(w.load().Live.Intent.Claims), 1)
				w.succeed(l, 1)
			}
			w.clock.Move(2 * leaseTTL)
			w.equal("overdue", w.overdue(), []state.Key(nil))
			w.means(w.resume(resolved(id, `1`)), state.Show, 2)
		}
	}},
}
