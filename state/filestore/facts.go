package filestore

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// Read returns the thread of a key; see [store.Backend].
func (b *backend) Read(ctx context.Context, key state.Key, o store.ReadOptions) (*store.Record, error) {
	r := &store.Record{Now: b.o.Now()}
	f := &facts{ctx: ctx, b: b, key: key}
	f.places, f.tokens = map[string]found[state.Place]{}, map[string]found[state.Token]{}
	r.Facts = f
	err := b.view(ctx, func(tx *bolt.Tx) error {
		l, err := find(tx, key)
		if err != nil {
			return err
		}
		if l.over(r.Now) {
			r.Thread, r.Tag = b.present(key, nil, r)
			if l != nil { // its fence is not in the floor yet
				r.Floor = max(r.Floor, l.doc.Thread.Fence)
			}
			return nil
		}
		if err := l.complete(); err != nil {
			return err
		}
		r.Thread, r.Tag = b.present(key, l, r)
		f.tag, r.Born = r.Tag, l.doc.Born
		if !o.Frame.IsZero() {
			if r.HasFrame, err = l.holds(o.Frame, r.Now.Add(-b.o.LogTTL)); err != nil {
				return err
			}
		}
		return f.prefetch(l, r.Thread, o)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// present returns the thread with its state in memory, and its tag. It sets the floor of the record.
func (b *backend) present(key state.Key, l *loaded, r *store.Record) (*state.Thread, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.Floor = b.floor
	if a, ok := b.live[key]; ok {
		return current(l, key, &a, b.queues[key])
	}
	return current(l, key, nil, b.queues[key])
}

// found is the result of a lookup.
type found[T any] struct {
	value T
	ok    bool
}

// facts are the [state.Facts] of a thread. Lookups that were not prefetched read the file, as long as the thread
// has the same tag.
type facts struct {
	ctx context.Context
	b   *backend
	key state.Key
	tag string // empty: there is no thread
	err error

	places map[string]found[state.Place]
	tokens map[string]found[state.Token]
}

// prefetch makes the lookups that will follow.
func (f *facts) prefetch(l *loaded, t *state.Thread, o store.ReadOptions) error {
	for _, id := range o.Messages {
		if err := f.place(l, id); err != nil {
			return err
		}
	}
	ids := slices.Concat(o.Tokens, t.Open)
	if t.Live != nil {
		for _, claim := range t.Live.Intent.Claims {
			ids = append(ids, claim.ID)
		}
	}
	for _, id := range ids {
		if err := f.token(l, id); err != nil {
			return err
		}
	}
	return nil
}

func (f *facts) place(l *loaded, id string) error {
	p, ok, err := readPlace(l.table.sub(knownTable), id)
	f.places[id] = found[state.Place]{p, ok}
	return err
}

func (f *facts) token(l *loaded, id string) error {
	raw, err := l.table.sub(tokensTable).get(textKey(id))
	if err != nil || raw == nil {
		f.tokens[id] = found[state.Token]{}
		return err
	}
	var token state.Token
	err = unmarshal("token", raw, &token)
	f.tokens[id] = found[state.Token]{token, true}
	return err
}

// look reads more of the thread.
func (f *facts) look(read func(l *loaded) error) {
	if f.tag == "" || f.err != nil {
		return
	}
	f.err = f.b.view(f.ctx, func(tx *bolt.Tx) error {
		l, err := find(tx, f.key)
		if err != nil {
			return err
		}
		if l == nil || l.doc.Tag != f.tag {
			return store.ErrConflict
		}
		return read(l)
	})
}

// Err returns the error of the lookups.
func (f *facts) Err() error { return f.err }

// Known looks up a message.
func (f *facts) Known(id string) (state.Place, bool) {
	if _, ok := f.places[id]; !ok {
		f.look(func(l *loaded) error { return f.place(l, id) })
	}
	p := f.places[id]
	return p.value, p.ok
}

// Token looks up a token.
func (f *facts) Token(id string) (state.Token, bool) {
	if _, ok := f.tokens[id]; !ok {
		f.look(func(l *loaded) error { return f.token(l, id) })
	}
	t := f.tokens[id]
	return t.value, t.ok
}

// State returns the state at a revision.
func (f *facts) State(rev int64) (raw json.RawMessage) {
	f.look(func(l *loaded) (err error) {
		raw, err = l.stateAt(rev, f.b.trimmedAt(l))
		return err
	})
	return raw
}

// Past returns the way back to earlier states.
func (f *facts) Past() (past document.History) {
	f.look(func(l *loaded) error {
		return l.table.sub(pastTable).each(nil, func(_, raw []byte) (bool, error) {
			var mark document.Mark
			err := unmarshal("mark", raw, &mark)
			past.Marks = append(past.Marks, mark)
			return true, err
		})
	})
	return past
}

// Runs returns the runs before the newest, newest first.
func (f *facts) Runs() (runs []state.Run) {
	f.look(func(l *loaded) error {
		return l.table.sub(runsTable).each(nil, func(_, raw []byte) (bool, error) {
			var run state.Run
			err := unmarshal("run", raw, &run)
			runs = append(runs, run)
			return true, err
		})
	})
	slices.Reverse(runs)
	return runs
}

// The numbers of messages read at once: few at first, because most callers want one at the end.
const (
	fewMessages  = 16
	manyMessages = 256
)

// Messages yields the conversation, the last message first. It reads in parts, so that no transaction is open while
// other code runs.
func (f *facts) Messages() iter.Seq[state.StoredMessage] {
	return func(yield func(state.StoredMessage) bool) {
		next, most := int(^uint(0)>>1), fewMessages
		for next >= 0 {
			var list []state.StoredMessage
			from := next
			next = -1
			f.look(func(l *loaded) (err error) {
				list, next, err = lastMessages(l, from, most)
				return err
			})
			if f.err != nil {
				return
			}
			for _, m := range list {
				if !yield(m) {
					return
				}
			}
			most = manyMessages
		}
	}
}
