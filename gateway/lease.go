package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
)

// A term is the time for which an attempt knows that it has the lease. It is measured by this process' monotonic clock and counts
// from before the store was asked for the lease, or to renew it, so it ends before the store's lease does.
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

// left returns how long the term lasts. From zero on another replica may have the run.
func (t *term) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(t.until)
}

// wait returns nil at once while the term lasts, or after its renewal, or returns the cause of ctx.
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
	var away time.Time
	first := a.term.left() - 2*a.g.o.Lease/3 // at once if it took long to get the lease
	return calls.Repeat(first, func() (time.Duration, bool) {
		next, ok := a.renewAgain(&away)
		return max(next, time.Millisecond), ok
	})
}

// renewAgain renews the lease and returns when to do so next, or false if there is no lease any more. While the store is away it
// is asked more often, so that the owner renews before another replica takes the run over. If the store has been away for as
// long as a run waits, and the lease has expired, the run is given up: its agent may be waiting, and write nothing that would
// fail. Away is since when the store is away, the zero time if it is not.
func (a *attempt) renewAgain(away *time.Time) (next time.Duration, ok bool) {
	asked := time.Now()
	err := a.renewLease()
	switch {
	case err == nil:
		a.term.renew(asked.Add(a.g.o.Lease))
		*away = time.Time{}
		return a.g.o.Lease / 3, true
	case errors.Is(err, state.ErrLeaseLost) || calls.Permanent(err):
		a.cancel(errLeaseLost)
		return 0, false
	case away.IsZero():
		*away = asked
	}
	a.g.noteStoreError()
	if a.term.left() <= 0 && time.Since(*away) >= a.g.o.StoreBuffer {
		a.rec.Fail(err)
		return 0, false
	}
	return a.g.o.Lease / 12, true
}

// renewLease asks the store. The run's own context does not count: a run that is being stopped still has the lease.
func (a *attempt) renewLease() error {
	ctx, cancel := context.WithTimeout(a.background, calls.StoreTimeout)
	defer cancel()
	return calls.Protect(func() error { return a.g.store.Renew(ctx, a.lease, a.g.o.Lease) })
}

// clockAt returns the clock of a store whose time is said now.
func (g *Gateway) clockAt(said time.Time) calls.Clock { return calls.NewClock(said, g.o.Now) }
