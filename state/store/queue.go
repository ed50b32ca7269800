package store

import (
	"context"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Await keeps the place of a ticket until its turn; see [state.Queue].
func (s *store) Await(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	wake, stop := s.waiting.join(key.Digest())
	defer stop()
	for {
		if err := s.ready(ctx); err != nil {
			return err
		}
		t, now, err := s.backend.UpdateQueue(ctx, key,
			QueueUpdate{Op: QueueRenew, Ticket: ticket, TTL: min(ttl, state.MaxTTL)})
		if err != nil || t.Turn(ticket, now) {
			return err
		}
		renew := time.NewTimer(ttl / 3)
		select {
		case <-wake:
		case <-renew.C:
		case <-ctx.Done():
		case <-s.closed:
		}
		renew.Stop()
	}
}

// Hold takes the place before all others; see [state.Queue].
func (s *store) Hold(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	u := QueueUpdate{Op: QueueHold, Ticket: ticket, TTL: min(ttl, state.MaxTTL)}
	_, _, err := s.backend.UpdateQueue(ctx, key, u)
	return err
}

// Leave gives a place up; see [state.Queue].
func (s *store) Leave(ctx context.Context, key state.Key, ticket string) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	_, _, err := s.backend.UpdateQueue(ctx, key, QueueUpdate{Op: QueueLeave, Ticket: ticket})
	if err == nil {
		s.notify(Event{Kind: EventTurn, Thread: key.Digest()})
	}
	return err
}

// waitingRequests wakes the requests of this store that wait for a thread. The zero value is ready.
type waitingRequests struct {
	mu       sync.Mutex
	channels map[string]map[chan struct{}]bool // by the digest of the thread's key
}

// join returns a channel that says when to look again, until stop is called.
func (w *waitingRequests) join(thread string) (wake <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.channels == nil {
		w.channels = map[string]map[chan struct{}]bool{}
	}
	if w.channels[thread] == nil {
		w.channels[thread] = map[chan struct{}]bool{}
	}
	w.channels[thread][ch] = true
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.channels[thread], ch)
		if len(w.channels[thread]) == 0 {
			delete(w.channels, thread)
		}
	}
}

// wake wakes those who wait for a thread.
func (w *waitingRequests) wake(thread string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.channels[thread] {
		select {
		case ch <- struct{}{}:
		default: // it has not looked since the last time
		}
	}
}
