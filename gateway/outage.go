package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// An outage finds out when the store has been away for too long. Tails of logs wait for a store that is away, but the runs have
// been given up by then, so the streams of their readers have to end, on every replica.
type outage struct {
	mu     sync.Mutex
	timer  *time.Timer // not nil while the store is away
	gone   context.Context
	cancel context.CancelFunc
}

// storeGone returns a context that is done when the store has been away for too long. Call it right after a successful store
// call: the store is not away then, whatever was noticed before.
func (o *outage) storeGone() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone != nil && o.gone.Err() != nil {
		o.reset()
	}
	return o.current()
}

func (o *outage) current() context.Context {
	if o.gone == nil {
		o.gone, o.cancel = context.WithCancel(context.Background())
	}
	return o.gone
}

// noteError notes that the store did not answer. If it has not answered after patience, and a ping then fails, it is gone.
func (o *outage) noteError(patience time.Duration, ping func() error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		return
	}
	o.current()
	o.timer = time.AfterFunc(patience, func() {
		if ping() == nil {
			o.noteAnswer()
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.timer != nil {
			o.cancel()
		}
	})
}

// noteStoreError notes that the store did not answer a call.
func (g *Gateway) noteStoreError() {
	g.outage.noteError(g.o.StoreBuffer, func() error {
		return protect(func() error { return g.ping(context.Background()) })
	})
}

// suspected reports whether the store did not answer a call, and no answer was noted since.
func (o *outage) suspected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.timer != nil
}

// noteAnswer notes that the store answered.
func (o *outage) noteAnswer() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reset()
}

func (o *outage) reset() {
	if o.timer == nil {
		return
	}
	o.timer.Stop()
	o.timer = nil
	if o.gone.Err() != nil {
		o.gone = nil
	}
}

// permanent reports whether the store would return err again: the thread was deleted or has lost a part, or what was asked
// for is not stored any more.
func permanent(err error) bool {
	return errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrDamaged) || errors.Is(err, state.ErrTrimmed) || errors.Is(err, state.ErrRevision)
}
