package filestore

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
	"github.com/agui-gateway/gateway/state/store"
)

// Find returns the threads with an id; see [store.Backend].
func (b *backend) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	var keys []state.Key
	err := b.view(ctx, func(v *view) {
		prefix := idPrefix(principal, id)
		c := v.root(threadsTable).b.Cursor()
		for name, _ := c.Seek(prefix); bytes.HasPrefix(name, prefix); name, _ = c.Next() {
			key, ok := threadKey(name)
			if !ok {
				v.fail(state.ErrDamaged)
				return
			}
			if !v.find(key).over(b.o.Now()) {
				keys = append(keys, key)
			}
		}
	})
	return keys, err
}

// indexPage is how many threads of an index are read at once.
const indexPage = 64

// Index yields the threads of a principal; see [store.Backend].
func (b *backend) Index(ctx context.Context, q store.IndexQuery) iter.Seq2[store.IndexEntry, error] {
	return func(yield func(store.IndexEntry, error) bool) {
		from := appendText(nil, q.Principal)
		if q.From != nil {
			from = append(indexName(q.Principal, *q.From), 0) // behind it
		}
		for from != nil {
			var entries []store.IndexEntry
			next := from
			err := b.view(ctx, func(v *view) { entries, next = b.indexed(v, q, from) })
			if err != nil {
				yield(store.IndexEntry{}, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			from = next
		}
	}
}

// indexed reads a part of the index from a name on, and returns the name of the next part; nil: there is none.
func (b *backend) indexed(v *view, q store.IndexQuery, from []byte) (entries []store.IndexEntry, next []byte) {
	prefix := appendText(nil, q.Principal)
	looked := 0
	v.root(indexTable).each(from, func(name, _ []byte) bool {
		if !bytes.HasPrefix(name, prefix) {
			return false
		}
		if looked == indexPage {
			next = slices.Clone(name)
			return false
		}
		looked++
		agent, rest, ok := cutText(name[min(len(prefix)+8, len(name)):])
		id, _, ok2 := cutText(rest)
		if !ok || !ok2 {
			v.fail(state.ErrDamaged)
			return false
		}
		if q.Agent != "" && q.Agent != agent {
			return true
		}
		if e, ok := b.entry(v, state.Key{Principal: q.Principal, Agent: agent, ID: id}); ok {
			entries = append(entries, e)
		}
		return true
	})
	return entries, next
}

// A listing has the fields of a [threadDoc] that a list shows: a search reads many.
type listing struct {
	Deadline time.Time      `json:"deadline"`
	Asks     time.Time      `json:"asks"`
	Gone     bool           `json:"gone"`
	Thread   *listed.Thread `json:"thread"`
}

// readListing reads a document.
func readListing(raw []byte) (listing, error) {
	var l listing
	if listed.Read(raw, l.member) {
		return l, nil
	}
	l = listing{}
	return l, unmarshal("document", raw, &l)
}

func (l *listing) member(name []byte, r *listed.Reader) bool {
	switch string(name) {
	case "deadline":
		return r.Time(&l.Deadline)
	case "asks":
		return r.Time(&l.Asks)
	case "gone":
		return r.Bool(&l.Gone)
	case "thread":
		l.Thread = cmp.Or(l.Thread, &listed.Thread{})
		return r.Object(l.Thread.Member)
	}
	return r.Skip(name, "deadline", "asks", "gone", "thread")
}

// entry returns the entry of a thread, unless it has expired.
func (b *backend) entry(v *view, key state.Key) (store.IndexEntry, bool) {
	thread := v.root(threadsTable).sub(threadName(key))
	if thread.b == nil {
		return store.IndexEntry{}, false
	}
	doc, err := readListing(thread.get(docKey))
	v.fail(err)
	now, t := b.o.Now(), doc.Thread
	if t == nil {
		v.fail(state.ErrDamaged)
		return store.IndexEntry{}, false
	}
	if doc.Gone || !doc.Deadline.IsZero() && !now.Before(doc.Deadline) {
		return store.IndexEntry{}, false
	}
	s := state.Summary{
		Key: key, Status: state.StatusIdle, Title: t.Title, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
		Calls: t.Waiting(),
	}
	switch {
	case thread.sub(liveRecord).get(liveRecord) != nil:
		s.Status = state.StatusRunning
	case doc.Asks.After(now):
		s.Status = state.StatusInterrupted
	case t.Failed:
		s.Status = state.StatusFailed
	}
	return store.IndexEntry{At: state.CursorOf(&state.Thread{Key: key, UpdatedAt: s.UpdatedAt}), Summary: s}, true
}

// Delete removes a thread; see [store.Backend].
func (b *backend) Delete(ctx context.Context, key state.Key) (uint64, error) {
	var fence uint64
	err := b.update(ctx, urgent, func(x *txn) error {
		l, t, _ := x.read(key)
		if l == nil {
			return state.ErrUnknownThread
		}
		fence = t.Fence
		x.dirty = true
		if t.Live != nil {
			last, err := state.DeletedFrame(t.NextFrame(), x.now.UnixMilli())
			if err != nil {
				return err
			}
			l.append(t.Last, []state.Frame{last})
		}
		l.doc.Deadline = x.now
		x.bury(l)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return fence, nil
}
