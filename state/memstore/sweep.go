package memstore

import (
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// sweepLimit is the number of entries, and of logs of deleted threads, that one call sweeps, so that the cost of a
// call is bounded. A thread is swept twice in its life, so calls that make threads keep pace with expiry.
const sweepLimit = 64

// sweep trims logs and removes expired threads, and reports whether it reached all of them. No entry is locked by
// the caller; sweep locks one at a time.
func (b *backend) sweep(now time.Time) (all bool) {
	all = b.removeDeadLogs(now)
	for range sweepLimit {
		b.mu.Lock()
		e, at, ok := b.due.First()
		if !ok || at.After(now) {
			b.mu.Unlock()
			return all
		}
		e.due.Leave()
		b.mu.Unlock()
		if !e.mu.TryLock() {
			b.sweepLater(e, now.Add(time.Second)) // in use: do not wait for it
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

// removeDeadLogs removes the logs of threads that were deleted some time ago, and reports whether it reached all of
// them.
func (b *backend) removeDeadLogs(now time.Time) (all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range sweepLimit {
		if !b.removeDeadLog(now) {
			return true
		}
	}
	return false
}

// removeDeadLog removes the oldest log of a deleted thread, if its time is before now. The caller holds the lock.
func (b *backend) removeDeadLog(now time.Time) bool {
	size, ok := b.dead.drop(now)
	b.books.Adjust(-size)
	return ok
}

// sweepLater schedules an entry to be swept again.
func (b *backend) sweepLater(e *entry, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !e.due.In() {
		e.due.Join(&b.due, e, at)
	}
}

// nextSweep returns when to sweep an idle entry: for its log, or for the thread itself.
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

// forget removes the entry, which is locked, from all indexes. The floor keeps its fence, so a new thread of that
// key gets a higher one even if the clock goes back. With keepLog the log stays for a while for its readers.
func (b *backend) forget(e *entry, keepLog bool) {
	e.gone, e.tag = true, ""
	e.messages, e.known, e.tokens, e.state, e.past, e.runs, e.replaced = nil, nil, nil, nil, document.History{}, nil,
		nil
	b.mu.Lock()
	defer b.mu.Unlock()
	b.floor = max(b.floor, e.thread.Load().Fence)
	delete(b.threads, e.key)
	delete(b.live, e)
	b.books.Remove(e.key)
	e.due.Leave()
	switch {
	case !keepLog:
		e.log = log{last: e.log.last}
	case len(e.log.packs)+len(e.log.frames) > 0:
		b.books.Adjust(e.size.frames)
		b.dead.add(e, b.o.Now().Add(state.DeadLogTTL))
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
