package statetest

import (
	"errors"
	"strconv"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

var queues = []sentence{
	{"requests that wait begin in the order the store saw them, and a newcomer behind them", func(w *world) {
		l := w.start("u0")
		waiting := w.queue("u1", "u2", "u3")
		w.succeed(l, 1)
		newcomer := w.waiting("u4")
		newcomer.Wait.Limit = 4
		waiting = append(waiting, newcomer)
		for i, r := range waiting {
			for _, later := range waiting[i+1:] {
				w.means(later, state.Queued, 5)
			}
			w.succeed(w.means(r, state.Start, 11).Lease, 1)
		}
		w.equal("messages", w.messages(-1), []string{"u0", "u1", "u2", "u3", "u4"})
	}},
	{"no more requests wait for a thread than may, and each has one place", func(w *world) {
		w.start("u0")
		var all sync.WaitGroup
		var mu sync.Mutex
		verdicts := map[string]int{}
		for i := range 12 {
			all.Go(func() {
				r := w.waiting("u" + strconv.Itoa(i+1))
				for range 2 {
					b, err := w.store.Begin(w.Context(), r, w.lease())
					if err != nil {
						w.Errorf("Begin() = %v", err)
						return
					}
					mu.Lock()
					verdicts[string(b.Verdict.Meaning)+string(b.Verdict.Code)]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		w.equal("verdicts", verdicts, map[string]int{"queued": 6, "busyqueue_full": 18})
		w.equal("places", len(w.load().Queue), 3)
	}},
	{"a place that nobody keeps is passed, and is good again if nobody was there to", func(w *world) {
		l := w.start("u0")
		waiting := w.queue("u1", "u2")
		w.clock.Move(leaseTTL - 1)
		w.means(waiting[1], state.Queued, 5)
		w.clock.Move(1)
		w.renew(l)
		w.succeed(l, 1)
		l = w.means(waiting[1], state.Start, 11).Lease
		w.means(waiting[0], state.Queued, 5)
		w.succeed(l, 1)
		w.means(waiting[0], state.Start, 11)
	}},
	{"places that nobody keeps make room", func(w *world) {
		l := w.start("u0")
		w.queue("u1", "u2", "u3")
		w.means(w.waiting("u4"), state.Busy, 5)
		w.clock.Move(leaseTTL)
		w.renew(l)
		w.queue("u4")
		w.equal("places", len(w.load().Queue), 1)
	}},
	{"who waits is woken by the end of the run, and by who leaves before it", func(w *world) {
		l := w.start("u0")
		waiting := w.queue("u1", "u2")
		first, second := w.await(waiting[0]), w.await(waiting[1])
		w.succeed(l, 1)
		w.equal("Await() of the first", <-first, nil)
		w.equal("the second waits", len(second), 0)
		if err := w.store.Leave(w.Context(), key, waiting[0].Wait.Ticket); err != nil {
			w.Fatalf("Leave() = %v", err)
		}
		w.equal("Await() of the second", <-second, nil)
		w.means(waiting[1], state.Start, 11)
		w.equal("places", len(w.load().Queue), 0)
	}},
	{"a ticket without a place has nothing to wait for", func(w *world) {
		w.start("u0")
		w.equal("Await()", w.store.Await(w.Context(), key, "none", leaseTTL), nil)
		w.equal("Leave()", w.store.Leave(w.Context(), key, "none"), nil)
	}},
	{"a held queue begins nothing until it is let go", func(w *world) {
		l := w.start("u0")
		waiting := w.queue("u1")
		if err := w.store.Hold(w.Context(), key, "hold", leaseTTL); err != nil {
			w.Fatalf("Hold() = %v", err)
		}
		w.succeed(l, 1)
		w.means(waiting[0], state.Queued, 5)
		w.means(w.waiting("u2"), state.Queued, 5)
		first := w.await(waiting[0])
		if err := w.store.Leave(w.Context(), key, "hold"); err != nil {
			w.Fatalf("Leave() = %v", err)
		}
		w.equal("Await()", <-first, nil)
		w.means(waiting[0], state.Start, 11)
	}},
	{"who waits for a thread that is deleted begins no other", func(w *world) {
		w.start("u0")
		waiting := w.queue("u1", "u2")
		first := w.await(waiting[0])
		w.delete()
		if err := <-first; err != nil && !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Await() = %v", err)
		}
		for range 2 {
			b := w.means(waiting[0], state.Refuse, 5)
			w.equal("code", b.Verdict.Code, errcode.Cancelled)
			w.clock.Move(1)
			w.start("u9") // another thread of that name
			w.delete()
		}
		if err := w.store.Await(w.Context(), key, waiting[1].Wait.Ticket, leaseTTL); !errors.Is(err,
			state.ErrUnknownThread) {
			w.Fatalf("Await() = %v, want ErrUnknownThread", err)
		}
	}},
	{"answers, and who adds nothing, do not wait", func(w *world) {
		l := w.start("u0")
		w.queue("u1")
		r := w.waiting("u0")
		w.means(r, state.Join, 4)
		w.ask(l, "int1")
		r = w.resume(resolved("int1", `1`))
		r.Wait = w.waiting("u9").Wait
		w.succeed(w.means(r, state.Resume, 1).Lease, 1)
		w.means(w.waiting("u2"), state.Queued, 5)
	}},
	{"a transition of a run leaves the queue alone", func(w *world) {
		l := w.start("u0")
		waiting := w.queue("u1")
		w.commit(l, state.Commit{Messages: []agui.Message{assistant("a0")}})
		w.take()
		w.equal("place", w.load().Queue[0].ID, waiting[0].Wait.Ticket)
	}},
}

// waiting is a request with a new message that may wait with two others.
func (w *world) waiting(message string) *state.Request {
	r := w.request(user(message))
	r.Wait = &state.Wait{Ticket: "ticket-" + w.id(), TTL: leaseTTL, Limit: 3}
	return r
}

// queue is requests that wait, one behind the other.
func (w *world) queue(messages ...string) []*state.Request {
	w.Helper()
	var list []*state.Request
	for _, id := range messages {
		r := w.waiting(id)
		r.Since = w.means(r, state.Queued, 5).Thread.CreatedAt
		list = append(list, r)
	}
	return list
}

// await waits for a request's turn.
func (w *world) await(r *state.Request) <-chan error {
	done := make(chan error, 1)
	go func() { done <- w.store.Await(w.Context(), key, r.Wait.Ticket, leaseTTL) }()
	return done
}

func (w *world) renew(l *state.Lease) {
	w.Helper()
	if err := w.store.Renew(w.Context(), l, leaseTTL); err != nil {
		w.Fatalf("Renew() = %v", err)
	}
}
