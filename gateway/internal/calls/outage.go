package calls

import (
	"context"
	"sync"
	"time"
)

// An Outage detects that the store has been away for too long. Tails of logs wait for a store that is away, but by then
// the runs have been given up, so the streams of their readers have to end, on every replica.
type Outage struct {
	mu     sync.Mutex
	timer  *time.Timer // not nil while the store is away
	gone   context.Context
	cancel context.CancelFunc
}

// Gone resets the outage, after a successful call, and returns a context that is done after the next one.
func (o *Outage) Gone() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone != nil && o.gone.Err() != nil {
		o.reset()
	}
	return o.current()
}

func (o *Outage) current() context.Context {
	if o.gone == nil {
		o.gone, o.cancel = context.WithCancel(context.Background())
	}
	return o.gone
}

// NoteError records a failed call of the store. If none succeeds within patience, nor a ping then, the store is gone.
func (o *Outage) NoteError(patience time.Duration, ping func() error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		return
	}
	o.current()
	o.timer = time.AfterFunc(patience, func() {
		if ping() == nil {
			o.NoteAnswer()
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.timer != nil {
			o.cancel()
		}
	})
}

// Suspected reports whether the store did not answer a call, and no answer was noted since.
func (o *Outage) Suspected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.timer != nil
}

// NoteAnswer notes that the store answered.
func (o *Outage) NoteAnswer() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reset()
}

func (o *Outage) reset() {
	if o.timer == nil {
		return
	}
	o.timer.Stop()
	o.timer = nil
	if o.gone.Err() != nil {
		o.gone = nil
	}
}
