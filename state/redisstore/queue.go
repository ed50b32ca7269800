package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// fieldQueue is the field of the thread's hash with the queue, as JSON. It is no part of the document: it changes
// without a transition, and a transition changes it only to remove the request that it begins.
const fieldQueue = "queue"

// wakeSignal is the message to replicas with waiting requests: to check their turn.
const wakeSignal = "wake"

// A waiter is a stored ticket, with the channel of its replica.
type waiter struct {
	state.Ticket

	Owner string `json:"owner"`
}

// parseQueue reads the queue; an empty text is an empty queue.
func parseQueue(text string) ([]waiter, error) {
	if text == "" {
		return nil, nil
	}
	var waiters []waiter
	if err := json.Unmarshal([]byte(text), &waiters); err != nil {
		return nil, undecodable("queue", err)
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

// queueText encodes a queue that replaces old. This store owns the ticket mine from now on.
func (s *backend) queueText(queue []state.Ticket, old, mine string) (string, error) {
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

// UpdateQueue changes the queue of a thread for the holder of a ticket, in one script; see [store.Backend]. Without
// a base it reads the queue first.
func (s *backend) UpdateQueue(
	ctx context.Context, key state.Key, u store.QueueUpdate,
) (*state.Thread, time.Time, error) {
	a := args{s.clock(), "", "-", "", ""} // no queue has this text: the first call reads
	if b := u.Base; b != nil {
		old := storedOf(b).queue
		text, err := s.queueText(u.Apply(b.Thread.Queue, b.Now), old, u.Ticket)
		if err != nil {
			return nil, b.Now, err
		}
		a = args{s.clock(), b.Tag, old, text, ""}
	}
	for {
		r, err := s.run(ctx, queueScript, hashTagOf(key), a)
		if err != nil {
			return nil, time.Time{}, err
		}
		old, now := r.text(2), parseMoment(r.text(1))
		changed := granted(r.text(0))
		if changed != nil && (!errors.Is(changed, store.ErrConflict) || u.Base != nil) {
			return nil, now, changed
		}
		waiters, err := parseQueue(old)
		if err != nil {
			return nil, now, err
		}
		if changed == nil {
			t := &state.Thread{Key: key, Queue: tickets(waiters)}
			if r.number(3) > 0 {
				t.Live = &state.Live{}
			}
			return t, now, nil
		}
		text, err := s.queueText(u.Apply(tickets(waiters), now), old, u.Ticket)
		if err != nil {
			return nil, now, err
		}
		a = args{s.clock(), "", old, text}
		a.flag(u.Op == store.QueueLeave)
		if err := ctx.Err(); err != nil {
			return nil, now, err
		}
	}
}
