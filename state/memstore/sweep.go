package memstore

import (
	"container/heap"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// sweepLimit is how many entries, and logs of those that are gone, one call looks after, so that none pays for the rest of an hour. A
// thread is looked after twice in its life, so that calls which make threads keep pace by themselves.
const sweepLimit = 64

// sweep trims logs and forgets threads whose time is over, and reports whether that were all. It is called where no entry is locked, and
// holds the lock for one thread at a time.
func (b *backend) sweep(now time.Time) (all bool) {
	all = b.removeDeadLogs(now)
	for range sweepLimit {
		b.mu.Lock()
		if len(b.due) == 0 || b.due[0].at.After(now) {
			b.mu.Unlock()
			return all
		}
		e := heap.Pop(&b.due).(*entry)
		b.mu.Unlock()
		if !e.mu.TryLock() {
			b.sweepLater(e, now.Add(time.Second)) // in use: nobody waits for another thread's work
			continue
		}
		expired := b.expired(e)
		if !e.gone {
			e.trim(now.Add(-b.o.LogTTL))
			if expired {
				b.forget(e, true)
			} else {
				b.index(e, false)
			}
		}
		e.mu.Unlock()
		if expired {
			b.removed(e.key)
		}
	}
	return false
}

// removeDeadLogs lets go of the logs of threads that have been gone for a while, and reports whether that were all.
func (b *backend) removeDeadLogs(now time.Time) (all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range sweepLimit {
		if !b.dropDeadLog(now) {
			return true
		}
	}
	return false
}

// dropDeadLog lets go of the oldest log of a thread that is gone, if it has been for a while. The lock is held.
func (b *backend) dropDeadLog(now time.Time) bool {
	size, ok := b.dead.drop(now)
	b.books.Adjust(-size)
	return ok
}

// sweepLater looks after an entry another time.
func (b *backend) sweepLater(e *entry, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.slot < 0 {
		e.at = at
		heap.Push(&b.due, e)
	}
}

// nextSweep is when there is something to sweep in an idle entry: its log, or itself.
func (b *backend) nextSweep(e *entry) time.Time {
	at := e.deadline
	if ended, ok := e.log.oldest(); ok && ended.Add(b.o.LogTTL).Before(at) {
		return ended.Add(b.o.LogTTL)
	}
	return at
}

// expired reports whether the thread's time is over. The entry is locked.
func (b *backend) expired(e *entry) bool {
	return !e.gone && !e.deadline.IsZero() && !b.o.Now().Before(e.deadline)
}

// forget takes the entry, which is locked, out of everything that finds it. Its fence stays the least a new thread of that key
// gets, whatever the clock does. Its log stays for a while for those who read it, if that is asked for.
func (b *backend) forget(e *entry, keepLog bool) {
	e.gone, e.tag = true, ""
	e.messages, e.known, e.tokens, e.state, e.past, e.runs, e.replaced = nil, nil, nil, nil, state.History{}, nil, nil
	b.mu.Lock()
	defer b.mu.Unlock()
	b.floor = max(b.floor, e.thread.Load().Fence)
	delete(b.threads, e.key)
	delete(b.live, e)
	b.books.Remove(e.key)
	if e.slot >= 0 {
		heap.Remove(&b.due, e.slot)
	}
	switch {
	case !keepLog:
		e.log = log{last: e.log.last}
	case len(e.log.packs)+len(e.log.frames) > 0:
		b.books.Adjust(e.size.frames)
		e.at = b.o.Now().Add(state.DeadLogTTL)
		b.dead.add(e)
	}
	name := state.Key{Principal: e.key.Principal, ID: e.key.ID}
	b.named[name] = slices.DeleteFunc(b.named[name], func(x *entry) bool { return x == e })
	if len(b.named[name]) == 0 {
		delete(b.named, name)
	}
	if o := b.owned[e.key.Principal]; o != nil {
		if o.remove(e); o.none() {
			delete(b.owned, e.key.Principal)
		}
	}
}

// deadlines is a heap of idle entries by when they are to be looked after.
type deadlines []*entry

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }

// Swap swaps two entries.
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].slot, d[j].slot = i, j
}

// Push adds an entry at the end.
func (d *deadlines) Push(x any) {
	e := x.(*entry)
	e.slot = len(*d)
	*d = append(*d, e)
}

// Pop takes the entry at the end.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	e.slot = -1
	return e
}
