package filestore

import (
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/ledger"
)

// A booking is what a transaction changes in the books once it is written.
type booking struct {
	grown int64
	known *ledger.Thread // but for its size; nil: as it was
	gone  bool           // what the books have of it goes; if known is there too, it is another thread
}

// removed books that a thread is gone.
func (n *booking) removed() { *n = booking{gone: true} }

// booked is the booking of a thread.
func (x *txn) booked(key state.Key) *booking {
	b := x.books[key]
	if b == nil {
		b = &booking{}
		x.books[key] = b
	}
	return b
}

// book books what a thread is after a change, and what it has grown by since it was found.
func (x *txn) book(l *loaded) error {
	n := x.booked(l.key)
	n.grown, l.grown = n.grown+l.grown, 0
	if l.doc.Gone { // what is left of it for readers goes in a minute
		n.removed()
		return nil
	}
	var err error
	n.known, err = l.known(x.attempt(l.key) != nil)
	return err
}

// known is what the books know of a thread, but for its size.
func (l *loaded) known(live bool) (*ledger.Thread, error) {
	end, _, err := l.oldestEnd()
	n := &ledger.Thread{Key: l.key, LogEnd: end.at, Used: l.doc.Thread.UpdatedAt, Asks: l.doc.Asks, Live: live}
	return n, err
}

// publishBooks makes the books what the file is now.
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

// restoreBooks makes the books of a file that was opened.
func (b *backend) restoreBooks(tx *bolt.Tx, sizes map[string]int64) error {
	for name, size := range sizes {
		key, ok := threadKey([]byte(name))
		if !ok {
			return state.ErrDamaged
		}
		l, err := find(tx, key)
		if err != nil {
			return err
		}
		if l == nil || l.doc.Gone {
			continue
		}
		_, live := b.live[key]
		n, err := l.known(live)
		if err != nil {
			return err
		}
		n.Size = size
		b.books.Put(*n)
	}
	return nil
}

// Stored returns how many bytes of the file the principal's threads take; see [state.Backend].
func (b *backend) Stored(ctx context.Context, principal string) (int64, error) {
	if err := b.ready(ctx); err != nil {
		return 0, err
	}
	return b.books.Principal(principal), nil
}

// makeRoom lets go of what can go until the file has room for n bytes more below a limit, and reports whether it has. The thread of a key
// is spared, but for its log. Each that goes is a transaction, because the books have to know before the next is chosen.
func (b *backend) makeRoom(ctx context.Context, n, limit int64, spared state.Key) (bool, error) {
	for b.books.Total()+n > limit {
		key, log, ok := b.books.First(b.o.Now(), spared)
		if !ok {
			return false, nil
		}
		if err := b.letGo(ctx, key, log); err != nil {
			return false, err
		}
	}
	return true, nil
}

// makeShare lets go of idle threads of a principal until the others have room for n bytes more in its share, and reports whether they have. The
// thread of a key of the principal's is spared.
func (b *backend) makeShare(ctx context.Context, n int64, spared state.Key) (bool, error) {
	for b.books.Principal(spared.Principal)+n > b.o.Share {
		key, log, ok := b.books.FirstOf(spared.Principal, b.o.Now(), spared)
		if !ok {
			return false, nil
		}
		if err := b.letGo(ctx, key, log); err != nil {
			return false, err
		}
	}
	return true, nil
}

// letGo removes the oldest run of a thread's log, or the thread.
func (b *backend) letGo(ctx context.Context, key state.Key, log bool) error {
	removed := false
	err := b.update(ctx, urgent, func(x *txn) error {
		removed = false
		l, err := find(x.tx, key)
		if err != nil {
			return err
		}
		if l == nil || l.doc.Gone { // it went meanwhile
			x.booked(key).removed()
			return nil
		}
		end, ends, err := l.oldestEnd()
		if err != nil {
			return err
		}
		switch {
		case log && ends:
			x.dirty = true
			if err := l.dropRun(end); err != nil {
				return err
			}
			if err := l.forgetReplaced(); err != nil {
				return err
			}
			return x.save(l)
		case !log && x.attempt(key) == nil:
			x.dirty, removed = true, true
			return x.remove(l)
		default: // it is not what it was
			return x.book(l)
		}
	})
	if err == nil && removed {
		b.tell(state.Event{Kind: state.EventRemoved, Thread: key.Digest()})
	}
	return err
}
