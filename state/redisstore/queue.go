package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// fieldQueue is the field of the thread's hash that holds who waits, as JSON. It is no part of the document: it changes
// without a step, and a step changes it only to let go of the place of the request it begins.
const fieldQueue = "queue"

// wordWake is what replicas are told whose requests wait for a thread: to look whether their turn has come.
const wordWake = "wake"

// A waiter is a ticket as it is stored, with the channel on which the replica is told that keeps it.
type waiter struct {
	state.Ticket

	Owner string `json:"owner"`
}

// parseQueue reads who waits; nothing is nobody.
func parseQueue(text string) ([]waiter, error) {
	if text == "" {
		return nil, nil
	}
	var waiters []waiter
	if err := json.Unmarshal([]byte(text), &waiters); err != nil {
		return nil, fmt.Errorf("redisstore: stored queue: %w", err)
	}
	return waiters, nil
}

func tickets(waiters []waiter) []state.Ticket {
	list := make([]state.Ticket, len(waiters))
	for i, p := range waiters {
		list[i] = p.Ticket
	}
	return list
}

// queueText is a queue as it is stored in the place of old. The ticket mine is kept by this store from now on, whoever
// took its place.
func (s *Store) queueText(queue []state.Ticket, old, mine string) (string, error) {
	if len(queue) == 0 {
		return "", nil
	}
	waiters, err := parseQueue(old)
	if err != nil {
		return "", err
	}
	owners := map[string]string{}
	for _, w := range waiters {
		owners[w.ID] = w.Owner
	}
	owners[mine] = s.channel
	list := make([]waiter, len(queue))
	for i, t := range queue {
		list[i] = waiter{t, owners[t.ID]}
	}
	raw, err := marshal(list)
	return string(raw), err
}

// enqueue gives a request the place that its verdict promises, if the thread is what it was judged by; false says that it
// is not.
func (s *Store) enqueue(ctx context.Context, l *loaded, w *state.Wait) (bool, error) {
	queue, _ := state.Enqueue(l.thread.Queue, w, l.now) // there is room, or the verdict would be another
	text, err := s.queueText(queue, l.queue, w.Ticket)
	if err != nil {
		return false, err
	}
	r, err := s.run(ctx, queueScript, slotOf(l.thread.Key), args{s.clock(), l.tag, l.queue, text, ""})
	return r.text(0) == didIt, err
}

// requeue changes who waits for a thread, by the holder of ticket, in one step. With free, those who are left are told to look again. It returns
// the thread, as far as waiting goes, and the time.
func (s *Store) requeue(ctx context.Context, key state.Key, ticket string, free bool, change func(q []state.Ticket, now time.Time) []state.Ticket) (*state.Thread, time.Time, error) {
	a := args{s.clock(), "", "-", "", ""} // no queue is spelled so: the first call reads
	for try := range tries {
		r, err := s.run(ctx, queueScript, slotOf(key), a)
		if err != nil {
			return nil, time.Time{}, err
		}
		if r.text(0) == "unknown" {
			return nil, time.Time{}, state.ErrUnknownThread
		}
		old, now := r.text(2), parseMoment(r.text(1))
		waiters, err := parseQueue(old)
		if err != nil {
			return nil, now, err
		}
		if r.text(0) == didIt {
			t := &state.Thread{Key: key, Queue: tickets(waiters)}
			if r.number(3) > 0 {
				t.Live = &state.Live{}
			}
			return t, now, nil
		}
		text, err := s.queueText(change(tickets(waiters), now), old, ticket)
		if err != nil {
			return nil, now, err
		}
		a = args{s.clock(), "", old, text}
		a.flag(free)
		if err := again(ctx, try/2); err != nil {
			return nil, now, err
		}
	}
	return nil, time.Time{}, errBusy
}

// Await keeps the place of a ticket until its turn; see [state.Queue].
func (s *Store) Await(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	wake, stop := s.turns.join(slotOf(key))
	defer stop()
	for {
		t, now, err := s.requeue(ctx, key, ticket, false, func(q []state.Ticket, now time.Time) []state.Ticket {
			return state.Renew(q, ticket, now.Add(ttl))
		})
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
func (s *Store) Hold(ctx context.Context, key state.Key, ticket string, ttl time.Duration) error {
	_, _, err := s.requeue(ctx, key, ticket, false, func(q []state.Ticket, now time.Time) []state.Ticket {
		return state.Ahead(q, ticket, now.Add(ttl))
	})
	return err
}

// Leave gives a place up; see [state.Queue].
func (s *Store) Leave(ctx context.Context, key state.Key, ticket string) error {
	_, _, err := s.requeue(ctx, key, ticket, true, func(q []state.Ticket, _ time.Time) []state.Ticket {
		return state.Dequeue(q, ticket)
	})
	return err
}
