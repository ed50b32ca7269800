package filestore

import (
	"context"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// UpdateAttempt changes the live attempt; see [store.Backend]. The file is written only for changes that outlive
// the process: the result of an effect, and a stop. Readers and the end of the lease end with the process.
func (b *backend) UpdateAttempt(ctx context.Context, key state.Key, u store.AttemptUpdate) (store.Attempt, error) {
	var came store.Attempt
	urgency := canWait
	if u.Op == store.AttemptRecord {
		urgency = urgent
	}
	err := b.update(ctx, urgency, func(x *txn) error {
		a := x.attempt(key)
		if a == nil {
			came = store.Attempt{}
			return x.notLive(key, u)
		}
		was := a.thread(key)
		live, err := u.Apply(was, x.now)
		if err != nil || live == nil {
			came = store.AttemptOf(nil, x.now)
			return err
		}
		x.persist(key, u, was.Live, live)
		next := *a
		next.attempt, next.until, next.readUntil = live.Attempt, live.Until, live.ReadUntil
		next.tied, next.hungUp, next.stopped = live.Tied, live.HungUp, live.Stopped
		x.live[key] = &next
		came = store.AttemptOf(live, x.now)
		return nil
	})
	if err != nil {
		return store.Attempt{}, err
	}
	return came, nil
}

// notLive returns the error of an update that found no live attempt.
func (x *txn) notLive(key state.Key, u store.AttemptUpdate) error {
	if u.Lease != nil {
		return state.ErrLeaseLost
	}
	if x.find(key).over(x.now) {
		return state.ErrUnknownThread
	}
	return nil
}

// persist writes the parts of an update that outlive the process.
func (x *txn) persist(key state.Key, u store.AttemptUpdate, was, live *state.Live) {
	stops := live.Stopped && !was.Stopped
	if u.Op != store.AttemptRecord && !stops {
		return
	}
	x.dirty = true
	t := x.root(threadsTable).sub(threadName(key))
	t.grown = &x.booked(key).grown
	if stops {
		t.put(stoppedKey, nil)
		return
	}
	raw, err := withHead(u.Effect, u.Result)
	x.fail(err)
	t.make(memoTable).put(textKey(u.Effect), raw)
}

// UpdateQueue changes the queue of a thread; see [store.Backend]. The waiting requests are connections of this
// process, so the file does not have them.
func (b *backend) UpdateQueue(
	ctx context.Context, key state.Key, u store.QueueUpdate,
) (*state.Thread, time.Time, error) {
	var t *state.Thread
	var at time.Time
	err := b.update(ctx, canWait, func(x *txn) error {
		l := x.find(key)
		if l.over(x.now) {
			return state.ErrUnknownThread
		}
		now := &state.Thread{Key: key, Rev: l.doc.Thread.Rev, Queue: x.queue(key)}
		if a := x.attempt(key); a != nil {
			now.Live = a.thread(key).Live
		}
		queue, err := u.Prepare(now, l.doc.Tag, x.now)
		if err != nil {
			return err
		}
		x.queues[key] = queue
		now.Queue = queue
		t, at = now, x.now
		return nil
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	return t, at, nil
}

// Overdue returns the threads with an expired lease; see [store.Backend]. It also removes expired threads and logs.
func (b *backend) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	if err := b.sweep(ctx); err != nil {
		return nil, err
	}
	now := b.o.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []state.Key
	for key, a := range b.live {
		if limit > 0 && len(keys) == limit {
			break
		}
		if !now.Before(a.until) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
