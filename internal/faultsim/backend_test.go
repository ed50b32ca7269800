package faultsim

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

// A backend is the way of one process to the store. Calls take time, fail before or after they are made, or hang.
type backend struct {
	*simstore.Replica

	r *replica
}

// call makes a call that may meet a fault.
func call[T any](ctx context.Context, b *backend, method string, key state.Key, do func() (T, error)) (T, error) {
	var nothing T
	if err := b.r.pass(); err != nil {
		return nothing, err
	}
	w := b.r.w
	dice := w.dice.next(b.r.name + " " + method + " " + key.ID)
	met, wait := none, between(dice, 0, 3*time.Millisecond)
	switch {
	case w.healed():
	case w.away():
		met = before
	case chance(dice, w.rates.store):
		met = anyFault(dice)
	case chance(dice, w.rates.hang):
		met, wait = anyFault(dice), between(dice, time.Second, 8*time.Second)
	}
	if err := sleep(ctx, wait); err != nil {
		return nothing, err
	}
	if met == before {
		w.fault("%s %s %s is not made", b.r.name, method, key.ID)
		return nothing, errAway
	}
	v, err := do()
	if err := b.r.pass(); err != nil {
		return nothing, err
	}
	if met == after {
		w.fault("%s %s %s loses its answer", b.r.name, method, key.ID)
		return nothing, errAway
	}
	return v, err
}

func (b *backend) Listen(tell func(store.Event)) {
	b.Replica.Listen(func(e store.Event) { b.r.hear(func() { tell(e) }) })
}

func (b *backend) Read(ctx context.Context, key state.Key, o store.ReadOptions) (*store.Record, error) {
	return call(ctx, b, "read", key, func() (*store.Record, error) { return b.Replica.Read(ctx, key, o) })
}

func (b *backend) Write(ctx context.Context, w *store.Write) (store.Written, error) {
	return call(ctx, b, "write", w.Transition.Thread.Key, func() (store.Written, error) {
		began := b.r.w.tick()
		written, err := b.Replica.Write(ctx, w)
		if err == nil {
			b.r.w.wrote(began, w)
		}
		return written, err
	})
}

func (b *backend) Append(ctx context.Context, l *state.Lease, revision int64, after state.FrameID, frames []state.Frame) (state.FrameID, state.Flags, error) {
	var flags state.Flags
	last, err := call(ctx, b, "append", l.Key, func() (last state.FrameID, err error) {
		began := b.r.w.tick()
		last, flags, err = b.Replica.Append(ctx, l, revision, after, frames)
		if err == nil {
			b.r.w.grew(began, l.Key, frames)
		}
		return last, err
	})
	return last, flags, err
}

func (b *backend) UpdateAttempt(ctx context.Context, key state.Key, u store.AttemptUpdate) (store.Attempt, error) {
	return call(ctx, b, "attempt "+string(u.Op), key, func() (store.Attempt, error) { return b.Replica.UpdateAttempt(ctx, key, u) })
}

func (b *backend) UpdateQueue(ctx context.Context, key state.Key, u store.QueueUpdate) (*state.Thread, time.Time, error) {
	var now time.Time
	t, err := call(ctx, b, "queue", key, func() (t *state.Thread, err error) {
		t, now, err = b.Replica.UpdateQueue(ctx, key, u)
		return t, err
	})
	return t, now, err
}

func (b *backend) Delete(ctx context.Context, key state.Key) (uint64, error) {
	return call(ctx, b, "delete", key, func() (uint64, error) { return b.Replica.Delete(ctx, key) })
}

func (b *backend) ReadLog(ctx context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	return call(ctx, b, "log", key, func() (*store.LogPage, error) { return b.Replica.ReadLog(ctx, key, after) })
}

func (b *backend) FollowLog(ctx context.Context, key state.Key, after state.FrameID, number int64) (*store.LogPage, bool, error) {
	var follows bool
	page, err := call(ctx, b, "follow", key, func() (page *store.LogPage, err error) {
		page, follows, err = b.Replica.FollowLog(ctx, key, after, number)
		return page, err
	})
	return page, follows, err
}

func (b *backend) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	return call(ctx, b, "holds", key, func() (bool, error) { return b.Replica.Holds(ctx, key, id) })
}

func (b *backend) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	return call(ctx, b, "state", key, func() (json.RawMessage, error) { return b.Replica.State(ctx, key, rev) })
}

func (b *backend) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	return call(ctx, b, "messages", key, func() (state.Conversation, error) { return b.Replica.Messages(ctx, key, rev) })
}

func (b *backend) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	return call(ctx, b, "find", state.Key{ID: id}, func() ([]state.Key, error) { return b.Replica.Find(ctx, principal, id) })
}

func (b *backend) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	return call(ctx, b, "overdue", state.Key{}, func() ([]state.Key, error) { return b.Replica.Overdue(ctx, limit) })
}

func (b *backend) Ping(ctx context.Context) error {
	_, err := call(ctx, b, "ping", state.Key{}, func() (any, error) { return nil, b.Replica.Ping(ctx) })
	return err
}
