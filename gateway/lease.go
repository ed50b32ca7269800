package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A term is for how long an attempt knows that its run is its own. It is measured by this process' monotonic clock and counts
// from before the store was asked for the lease, or to renew it: it is over here before the lease is in the store.
type term struct {
	mu      sync.Mutex
	until   time.Time
	renewed chan struct{} // closed and replaced with each renewal
}

func newTerm(until time.Time) *term { return &term{until: until, renewed: make(chan struct{})} }

func (t *term) renew(until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = until
	close(t.renewed)
	t.renewed = make(chan struct{})
}

// left is how long it lasts. Once that is nothing, another replica may have the run.
func (t *term) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(t.until)
}

// wait returns while the term lasts, if need be after a renewal, or with the cause of ctx.
func (t *term) wait(ctx context.Context) error {
	for {
		t.mu.Lock()
		left, renewed := time.Until(t.until), t.renewed
		t.mu.Unlock()
		if left > 0 {
			return nil
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// keepLease renews the lease until the returned function is called.
func (a *attempt) keepLease() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(a.term.left() - 2*a.g.o.Lease/3) // at once if it took long to get the lease
		defer timer.Stop()
		var away time.Time
		for {
			select {
			case <-quit:
				return
			case <-timer.C:
			}
			next, ok := a.renewAgain(&away)
			if !ok {
				return
			}
			timer.Reset(max(next, time.Millisecond))
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// renewAgain renews the lease and says when to do so next, or that there is no lease any more. While the store is away it
// is asked more often, so that the owner is there before those who look for runs without one. If it has been away for as
// long as a run waits, and the lease is over, the run is given up: its agent may be waiting to go on, and has nothing to
// write that would find out. Away is since when, the zero time if it is not.
func (a *attempt) renewAgain(away *time.Time) (next time.Duration, ok bool) {
	asked := time.Now()
	err := a.renewLease()
	switch {
	case err == nil:
		a.term.renew(asked.Add(a.g.o.Lease))
		*away = time.Time{}
		return a.g.o.Lease / 3, true
	case errors.Is(err, state.ErrLeaseLost) || permanent(err):
		a.cancel(errLeaseLost)
		return 0, false
	case away.IsZero():
		*away = asked
	}
	a.g.noteStoreError()
	if a.term.left() <= 0 && time.Since(*away) >= a.g.o.StoreBuffer {
		a.rec.fail(err)
		return 0, false
	}
	return a.g.o.Lease / 12, true
}

// renewLease asks the store. The run's own context does not count: a run that is being stopped still owns its thread.
func (a *attempt) renewLease() error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return protect(func() error { return a.g.store.Renew(ctx, a.lease, a.g.o.Lease) })
}

// A storeClock tells the time by the store's clock: what that said once, and how long that is ago by this process' own, which
// is monotonic. The store's is the one that leases, questions and runs are measured by, on every replica alike.
type storeClock struct {
	said, at time.Time
	own      func() time.Time
}

// clockAt is the clock of a store that has just said what time it is.
func (g *Gateway) clockAt(said time.Time) storeClock {
	return storeClock{said: said, at: g.o.Now(), own: g.o.Now}
}

func (c storeClock) now() time.Time { return c.said.Add(c.own().Sub(c.at)) }
