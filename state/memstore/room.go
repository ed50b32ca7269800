package memstore

import (
	"context"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Stored returns how many bytes of memory the principal's threads take.
func (b *backend) Stored(_ context.Context, principal string) (int64, error) {
	b.sweep(b.o.Now())
	return b.books.Principal(principal), nil
}

// makeRoom removes old logs and idle threads until the store has room for n more bytes below limit, and reports
// whether it has. The thread spared may only lose its log. No entry is locked.
func (b *backend) makeRoom(n, limit int64, spared state.Key) bool {
	for b.books.Total()+n > limit {
		if b.removeDeadLog() {
			continue
		}
		key, log, ok := b.books.First(b.o.Now(), spared)
		if !ok {
			return false
		}
		b.letGo(key, log)
	}
	return true
}

// makeShare removes idle threads of a principal until its share has room for n more bytes, and reports whether it
// has. It does not remove the thread spared. No entry is locked.
func (b *backend) makeShare(n int64, spared state.Key) bool {
	for b.books.Principal(spared.Principal)+n > b.o.Share {
		key, log, ok := b.books.FirstOf(spared.Principal, b.o.Now(), spared)
		if !ok {
			return false
		}
		b.letGo(key, log)
	}
	return true
}

// removeDeadLog removes the oldest log of a deleted thread, if there is one.
func (b *backend) removeDeadLog() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropDeadLog(time.Time{})
}

// letGo removes the oldest run of a thread's log, or the thread.
func (b *backend) letGo(key state.Key, log bool) {
	b.mu.Lock()
	e := b.threads[key]
	b.mu.Unlock()
	if e == nil {
		return // it was removed meanwhile
	}
	e.mu.Lock()
	gone := false
	switch live := e.thread.Load().Live != nil; {
	case e.gone:
	case log:
		e.log.drop(min(1, len(e.log.ends)))
		e.forgetReplaced()
		b.index(e, false)
	case !live:
		b.forget(e, false)
		gone = true
	default: // a run has begun on it meanwhile
		b.note(e)
	}
	e.mu.Unlock()
	if gone {
		b.removed(key)
	}
}

// full reports whether the live runs have used up the store's limit although everything else was removed. No entry
// is locked.
func (b *backend) full(of state.Key) bool {
	return b.o.Limit > 0 && !b.makeRoom(0, b.o.Limit, of)
}

// Purge removes the log that a deleted thread has left; see [store.Backend].
func (b *backend) Purge(_ context.Context, key state.Key) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books.Adjust(-b.dead.purge(key))
	return nil
}
