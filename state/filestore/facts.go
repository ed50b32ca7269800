package filestore

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

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
	err := b.view(ctx, func(v *view) {
		l := v.find(key)
		if l.over(r.Now) {
			r.Thread, r.Tag = b.present(key, nil, r)
			if l != nil { // its fence is not in the floor yet
				r.Floor = max(r.Floor, l.doc.Thread.Fence)
			}
			return
		}
		l.complete()
		r.Thread, r.Tag = b.present(key, l, r)
		f.tag, r.Born = r.Tag, l.doc.Born
		r.HasFrame = !o.Frame.IsZero() && l.holds(o.Frame, r.Now.Add(-b.o.LogTTL))
		f.prefetch(l, r.Thread, o)
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
func (f *facts) prefetch(l *loaded, t *state.Thread, o store.ReadOptions) {
	for _, id := range o.Messages {
		f.place(l, id)
	}
	ids := slices.Concat(o.Tokens, t.Open)
	if t.Live != nil {
		for _, claim := range t.Live.Intent.Claims {
			ids = append(ids, claim.ID)
		}
	}
	for _, id := range ids {
		f.token(l, id)
	}
}

func (f *facts) place(l *loaded, id string) {
	p, ok := readPlace(l.table.sub(knownTable), id)
	f.places[id] = found[state.Place]{p, ok}
}

func (f *facts) token(l *loaded, id string) {
	raw := l.table.sub(tokensTable).get(textKey(id))
	var token state.Token
	if raw != nil {
		l.table.decode("token", raw, &token)
	}
	f.tokens[id] = found[state.Token]{token, raw != nil}
}

// look reads more of the thread.
func (f *facts) look(read func(l *loaded)) {
	if f.tag == "" || f.err != nil {
		return
	}
	f.err = f.b.view(f.ctx, func(v *view) {
		l := v.find(f.key)
		if l == nil || l.doc.Tag != f.tag {
			v.fail(store.ErrConflict)
			return
		}
		read(l)
	})
}

// Err returns the error of the lookups.
func (f *facts) Err() error { return f.err }

// Known looks up a message.
func (f *facts) Known(id string) (state.Place, bool) {
	if _, ok := f.places[id]; !ok {
		f.look(func(l *loaded) { f.place(l, id) })
	}
	p := f.places[id]
	return p.value, p.ok
}

// Token looks up a token.
func (f *facts) Token(id string) (state.Token, bool) {
	if _, ok := f.tokens[id]; !ok {
		f.look(func(l *loaded) { f.token(l, id) })
	}
	t := f.tokens[id]
	return t.value, t.ok
}

// State returns the state at a revision.
func (f *facts) State(rev int64) (raw json.RawMessage) {
	f.look(func(l *loaded) { raw = l.stateAt(rev, f.b.trimmedAt(l)) })
	return raw
}

// Past returns the way back to earlier states.
func (f *facts) Past() (past document.History) {
	past.Marks = list[document.Mark](f, pastTable, "mark")
	return past
}

// Runs returns the runs before the newest, newest first.
func (f *facts) Runs() []state.Run {
	runs := list[state.Run](f, runsTable, "run")
	slices.Reverse(runs)
	return runs
}

// list returns the values of a table.
func list[T any](f *facts, name []byte, what string) (values []T) {
	f.look(func(l *loaded) {
		l.table.sub(name).each(nil, func(_, raw []byte) bool {
			var v T
			l.table.decode(what, raw, &v)
			values = append(values, v)
			return true
		})
	})
	return values
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
			f.look(func(l *loaded) { list, next = lastMessages(l, from, most) })
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
