package filestore

import (
	"context"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
	"github.com/agui-gateway/gateway/state/store"
)

// A booking is the change of a thread's entry in the ledger, applied when the transaction is written.
type booking struct {
	grown int64
	known *ledger.Thread // without its size; nil: unchanged
	gone  bool           // the entry is removed; with known, another thread replaces it
}

// removed records that the thread was removed.
func (n *booking) removed() { *n = booking{gone: true} }

// booked returns the booking of a thread.
func (x *txn) booked(key state.Key) *booking {
	b := x.books[key]
	if b == nil {
		b = &booking{}
		x.books[key] = b
	}
	return b
}

// book records the state of a thread after a change, and its growth since it was found.
func (x *txn) book(l *loaded) {
	n := x.booked(l.key)
	n.grown, l.grown = n.grown+l.grown, 0
	if l.doc.Gone { // its log is removed in a minute
		n.removed()
		return
	}
	n.known = l.known(x.attempt(l.key) != nil)
}

// known returns the entry of a thread for the ledger, without its size.
func (l *loaded) known(live bool) *ledger.Thread {
	end, _ := l.oldestEnd()
	return &ledger.Thread{Key: l.key, LogEnd: end.at, Used: l.doc.Thread.UpdatedAt, Asks: l.doc.Asks, Live: live}
}

// publishBooks updates the ledger with the written transaction.
func (x *txn) publishBooks() {
	for key, n := range x.books {
		if n.gone {
			x.b.books.Remove(key)
		}
		if n.known == nil {
			x.b.books.Grow(key, n.grown)
			continue
		}
		n.known.Size = x.b.books.Size(key) + n.grown
		x.b.books.Put(*n.known)
	}
}

// restoreBooks fills the ledger for a file that was opened.
func (b *backend) restoreBooks(v *view, sizes map[string]int64) {
	for name, size := range sizes {
		key, ok := threadKey([]byte(name))
		if !ok {
			v.fail(state.ErrDamaged)
			return
		}
		l := v.find(key)
		if l == nil || l.doc.Gone {
			continue
		}
		_, live := b.live[key]
		n := l.known(live)
		n.Size = size
		b.books.Put(*n)
	}
}

// Stored returns the bytes of the file that the principal's threads take; see [store.Backend].
func (b *backend) Stored(ctx context.Context, principal string) (int64, error) {
	if err := b.ready(ctx); err != nil {
		return 0, err
	}
	return b.books.Principal(principal), nil
}

// limits returns the limits of the store.
func (b *backend) limits() ledger.Limits {
	return ledger.Limits{All: b.o.Limit, Share: b.o.Share, Now: b.o.Now}
}

// evict returns a function that removes the oldest run of a thread's log, or the thread, in one transaction.
func (b *backend) evict(ctx context.Context) ledger.Remover {
	return func(key state.Key, log bool) error { return b.evictOne(ctx, key, log) }
}

func (b *backend) evictOne(ctx context.Context, key state.Key, log bool) error {
	removed := false
	err := b.update(ctx, urgent, func(x *txn) error {
		removed = false
		l := x.find(key)
		if l == nil || l.doc.Gone { // it was removed meanwhile
			x.booked(key).removed()
			return nil
		}
		end, ends := l.oldestEnd()
		switch {
		case log && ends:
			x.dirty = true
			l.dropRun(end)
			l.forgetReplaced()
			x.save(l)
		case !log && x.attempt(key) == nil:
			x.dirty, removed = true, true
			x.remove(l)
		default: // it has changed meanwhile
			x.book(l)
		}
		return nil
	})
	if err == nil && removed {
		b.tell(store.Event{Kind: store.EventRemoved, Thread: key.Digest()})
	}
	return err
}
