package filestore

import (
	"context"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// sweepMost is the number of threads that one transaction sweeps, so that other changes do not wait long.
const sweepMost = 64

// sweep removes expired logs and threads.
func (b *backend) sweep(ctx context.Context) error {
	if due, err := b.due(ctx); err != nil || !due {
		return err
	}
	var removed []state.Key
	err := b.update(ctx, canWait, func(x *txn) error {
		removed = x.sweep()
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range removed {
		b.tell(store.Event{Kind: store.EventRemoved, Thread: key.Digest()})
	}
	return nil
}

// due reports whether there is something to remove.
func (b *backend) due(ctx context.Context) (due bool, err error) {
	err = b.view(ctx, func(v *view) {
		first := v.root(dueTable).first()
		due = first != nil && numberOf(first) <= moment(b.o.Now())
	})
	return due, err
}

// sweep sweeps the threads that are due, and returns the removed ones.
func (x *txn) sweep() (removed []state.Key) {
	var names [][]byte
	x.root(dueTable).each(nil, func(name, _ []byte) bool {
		if numberOf(name) > moment(x.now) {
			return false
		}
		names = append(names, slices.Clone(name[8:]))
		return len(names) < sweepMost
	})
	for _, name := range names {
		key, _ := threadKey(name)
		l := x.find(key)
		x.dirty = true
		switch {
		case l == nil:
			x.fail(state.ErrDamaged)
			return nil
		case l.doc.Gone:
			x.remove(l)
		case l.over(x.now):
			removed = append(removed, key)
			x.bury(l)
		default:
			x.trim(l, x.now.Add(-x.b.o.LogTTL))
			x.save(l)
		}
	}
	return removed
}

// nextDue returns when to sweep a thread next: for its log, for the thread, or for the log of a removed thread.
func (x *txn) nextDue(l *loaded) time.Time {
	if l.doc.Gone {
		return l.doc.Deadline.Add(state.DeadLogTTL)
	}
	due := l.doc.Deadline
	end, ok := l.oldestEnd()
	if at := end.at.Add(x.b.o.LogTTL); ok && (due.IsZero() || at.Before(due)) {
		due = at
	}
	return due
}

// bury removes a thread from all indexes and removes all of it but its log, which stays for a while for its readers.
func (x *txn) bury(l *loaded) {
	t := l.doc.Thread
	x.floor = max(x.floor, t.Fence)
	x.root(floorTable).put(floorTable, number8(x.floor))
	at := state.CursorOf(withKey(t, l.key))
	x.root(indexTable).delete(indexName(l.key.Principal, at))
	x.root(liveTable).delete(l.name)
	x.live[l.key], x.queues[l.key] = nil, nil
	for _, name := range [][]byte{
		liveRecord, checkpointRecord, stateRecord, messagesTable, knownTable, tokensTable, memoTable, runsTable,
		pastTable, replacedTable,
	} {
		l.table.remove(name)
	}
	l.doc.Gone = true
	l.doc.Thread = &state.Thread{Key: l.key, Rev: t.Rev, Fence: t.Fence, UpdatedAt: t.UpdatedAt}
	x.save(l)
}

// withKey returns t with its key, which JSON may have changed.
func withKey(t *state.Thread, key state.Key) *state.Thread {
	n := *t
	n.Key = key
	return &n
}

// remove removes an expired thread with its log, or the log of a removed thread.
func (x *txn) remove(l *loaded) {
	if !l.doc.Gone {
		x.bury(l)
	}
	x.root(dueTable).delete(dueName(l.doc.Due, l.name))
	x.booked(l.key).removed()
	x.root(threadsTable).remove(l.name)
}
