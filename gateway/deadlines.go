package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// maxDeadlines bounds the questions that are watched at once; expiries of further ones are not counted.
const maxDeadlines = 10_000

// The first and the longest delay before a deadline is checked again, because the store was away or its clock is
// behind. The delay doubles each time, so that a store that returns does not get thousands of requests at once.
const (
	deadlinePause    = time.Second
	deadlinePauseMax = time.Minute
)

// deadlines watches the expiry, which writes nothing, of questions of this replica. The zero value is empty.
type deadlines struct {
	mu     sync.Mutex
	timers map[*time.Timer]bool
	closed bool
}

// add calls done in a new goroutine after d, and repeatedly until it returns true or close is called.
func (l *deadlines) add(d time.Duration, done func() bool) { l.addWith(d, deadlinePause, done) }

// addWith is add with the pause before done is called for the second time.
func (l *deadlines) addWith(d, pause time.Duration, done func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.timers) >= maxDeadlines {
		return
	}
	if l.timers == nil {
		l.timers = map[*time.Timer]bool{}
	}
	var timer *time.Timer
	timer = time.AfterFunc(max(d, 0), func() {
		l.mu.Lock() // until the timer is set
		delete(l.timers, timer)
		l.mu.Unlock()
		over := false
		if err := calls.Protect(func() error { over = done(); return nil }); err == nil && !over {
			l.addWith(pause, min(2*pause, deadlinePauseMax), done)
		}
	})
	l.timers[timer] = true
}

func (l *deadlines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for timer := range l.timers {
		timer.Stop()
	}
	l.timers = nil
}

// noteExpired counts a question that has expired without an answer. It returns false if that is not known yet.
func (g *Gateway) noteExpired(key state.Key, agent, interrupt string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), calls.StoreTimeout)
	defer cancel()
	t, open, err := g.store.Load(ctx, key)
	switch {
	case err != nil:
		return calls.Permanent(err)
	case slices.ContainsFunc(open, func(i agui.Interrupt) bool { return i.ID == interrupt }):
		return false // by the store's clock it is not over
	case !slices.Contains(t.Open, interrupt):
		return true // it was answered, or its turn is gone
	case t.Live != nil && slices.ContainsFunc(t.Live.Intent.Claims,
		func(c state.Answer) bool { return c.ID == interrupt && !c.Expired }):
		return true // an answer is in progress; if that fails, no other is possible
	}
	g.metrics.Interrupts(ctx, agent, telemetry.InterruptExpired, 1)
	return true
}
