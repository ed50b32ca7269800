package memstore

import (
	"context"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

// Stored returns how many bytes of memory the principal's threads take.
func (b *backend) Stored(_ context.Context, principal string) (int64, error) {
	b.sweep(b.o.Now())
	return b.books.Principal(principal), nil
}

// limits returns the limits of the store.
func (b *backend) limits() ledger.Limits {
	return ledger.Limits{All: b.o.Limit, Share: b.o.Share, Now: b.o.Now, Drop: b.dropDeadLog}
}

// makeRoom removes logs and idle threads until the store has at most a number of bytes, and reports whether it has. The
// thread spared may only lose its log. No entry is locked.
func (b *backend) makeRoom(most int64, spared state.Key) bool {
	room, err := b.books.MakeRoom(most, b.limits(), spared, b.evict)
	return room && err == nil
}

// dropDeadLog removes the oldest log of a deleted thread, and reports whether there was one.
func (b *backend) dropDeadLog() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.removeDeadLog(state.Forever)
}

// evict removes the oldest run of a thread's log, or the thread. It returns no error.
func (b *backend) evict(key state.Key, log bool) error {
	b.mu.Lock()
	e := b.threads[key]
	b.mu.Unlock()
	if e == nil {
		return nil // it was removed meanwhile
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
	return nil
}

// Purge removes the log that a deleted thread has left; see [store.Backend].
func (b *backend) Purge(_ context.Context, key state.Key) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books.Adjust(-b.dead.purge(key))
	return nil
}
