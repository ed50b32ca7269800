package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
)

// A term is the time for which an attempt knows that it has the lease. It uses this process' monotonic clock, from
// before the store was called to acquire or renew the lease, so it ends before the store's lease does.
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

// wait returns nil while the term lasts, or after its next renewal, or else the cause of ctx.
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
	first := a.term.left() - 2*a.g.o.Lease/3 // immediately if acquiring the lease took long
	return calls.Repeat(first, func() (time.Duration, bool) {
		next, ok := a.renewAgain(&away)
		return max(next, time.Millisecond), ok
	})
}

// renewAgain renews the lease and returns the delay until the next renewal, or false without a lease. While the store
// is away it retries more often, so that the owner renews before another replica takes the run over. If the store is
// away for longer than a run waits, and the lease has expired, the run is given up: its agent may be waiting without
// any write that would fail. away is the start of the outage, or zero.
func (a *attempt) renewAgain(away *time.Time) (next time.Duration, ok bool) {
	called := time.Now()
	err := a.renewLease()
	switch {
	case err == nil:
		a.term.renew(called.Add(a.g.o.Lease))
		*away = time.Time{}
		return a.g.o.Lease / 3, true
	case errors.Is(err, state.ErrLeaseLost) || calls.Permanent(err):
		a.cancel(errLeaseLost)
		return 0, false
	case away.IsZero():
		*away = called
	}
	a.g.noteStoreError()
	if a.term.left() <= 0 && time.Since(*away) >= a.g.o.StoreBuffer {
		a.rec.Fail(err)
		return 0, false
	}
	return a.g.o.Lease / 12, true
}

// renewLease calls the store. It ignores the run's context: a run that is being stopped still has the lease.
func (a *attempt) renewLease() error {
	ctx, cancel := context.WithTimeout(a.background, calls.StoreTimeout)
	defer cancel()
	return calls.Protect(func() error { return a.g.store.Renew(ctx, a.lease, a.g.o.Lease) })
}
