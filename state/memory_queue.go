package state

import (
	"context"
	"time"
)

// Await keeps the place of a ticket until its turn; see [Queue].
func (m *Memory) Await(ctx context.Context, key Key, ticket string, ttl time.Duration) error {
	for {
		turn, wake, err := m.renewPlace(ctx, key, ticket, ttl)
		if err != nil || turn {
			return err
		}
		renew := time.NewTimer(ttl / 3)
		select {
		case <-wake:
		case <-renew.C:
		case <-ctx.Done():
		case <-m.closed:
		}
		renew.Stop()
	}
}

// renewPlace renews a place and reports whether its turn has come; if not, wake is closed when that may have changed.
func (m *Memory) renewPlace(ctx context.Context, key Key, ticket string, ttl time.Duration) (turn bool, wake <-chan struct{}, err error) {
	err = m.requeue(ctx, key, func(r *room, t *Thread, now time.Time) {
		t.Queue = Renew(t.Queue, ticket, now.Add(ttl))
		turn, wake = t.Turn(ticket, now), r.turns.wait()
	})
	return turn, wake, err
}

// Hold takes the place before all others; see [Queue].
func (m *Memory) Hold(ctx context.Context, key Key, ticket string, ttl time.Duration) error {
	return m.requeue(ctx, key, func(_ *room, t *Thread, now time.Time) {
		t.Queue = Ahead(t.Queue, ticket, now.Add(ttl))
	})
}

// Leave gives a place up; see [Queue].
func (m *Memory) Leave(ctx context.Context, key Key, ticket string) error {
	return m.requeue(ctx, key, func(r *room, t *Thread, _ time.Time) {
		t.Queue = Dequeue(t.Queue, ticket)
		r.turns.wakeAll()
	})
}

// requeue changes the queue of a thread. It is no step: the revision stays.
func (m *Memory) requeue(ctx context.Context, key Key, change func(r *room, t *Thread, now time.Time)) error {
	if err := m.ready(ctx); err != nil {
		return err
	}
	r, err := m.existing(key)
	if err != nil {
		return err
	}
	defer m.leave(r)
	t := *r.thread.Load()
	change(r, &t, m.o.Now())
	r.thread.Store(&t)
	return nil
}

// A waker wakes whoever waits for something to happen in a room. It is guarded by the room's lock.
type waker struct{ next chan struct{} }

// wait returns a channel that is closed by the next wakeAll.
func (w *waker) wait() <-chan struct{} {
	if w.next == nil {
		w.next = make(chan struct{})
	}
	return w.next
}

func (w *waker) wakeAll() {
	if w.next != nil {
		close(w.next)
		w.next = nil
	}
}
