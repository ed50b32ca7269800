package memstore

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// Read returns a thread; see [store.Backend].
func (b *backend) Read(_ context.Context, key state.Key, o store.ReadOptions) (*store.Record, error) {
	e := b.lock(key)
	r := &store.Record{Now: b.o.Now()}
	b.mu.Lock()
	r.Floor = b.floor
	b.mu.Unlock()
	if e == nil {
		r.Thread, r.Facts = &state.Thread{Key: key}, &facts{}
		return r, nil
	}
	defer e.mu.Unlock()
	r.Thread, r.Tag, r.Born, r.HasFrame = e.current(), e.tag, e.born, !o.Frame.IsZero() && e.log.has(o.Frame)
	f := &facts{entry: e, tag: e.tag, tokens: map[string]state.Token{}}
	for _, id := range r.Thread.Open {
		if token, ok := e.tokens[id]; ok {
			f.tokens[id] = token
		}
	}
	r.Facts = f
	return r, nil
}

// facts are the [state.Facts] of a thread that was read. They are looked up when they are asked for: if somebody has
// written the thread by then, that is the error.
type facts struct {
	entry  *entry // nil for a thread that does not exist
	tag    string
	tokens map[string]state.Token // the open ones
	err    error
}

// Err returns what went wrong with lookups so far.
func (f *facts) Err() error { return f.err }

// lock locks the entry, and reports false if there is nothing to look up.
func (f *facts) lock() bool {
	if f.entry == nil {
		return false
	}
	f.entry.mu.Lock()
	if f.entry.tag == f.tag {
		return true
	}
	f.entry.mu.Unlock()
	f.err = store.ErrConflict
	return false
}

// Known looks up a message.
func (f *facts) Known(id string) (state.Place, bool) {
	if !f.lock() {
		return state.Place{}, false
	}
	defer f.entry.mu.Unlock()
	place, ok := f.entry.known[id]
	return place, ok
}

// Token looks up a token.
func (f *facts) Token(id string) (state.Token, bool) {
	if token, ok := f.tokens[id]; ok {
		return token, true
	}
	if !f.lock() {
		return state.Token{}, false
	}
	defer f.entry.mu.Unlock()
	token, ok := f.entry.tokens[id]
	return token, ok
}

// Messages yields the conversation, the last message first.
func (f *facts) Messages() iter.Seq[state.StoredMessage] {
	return func(yield func(state.StoredMessage) bool) {
		if !f.lock() {
			return
		}
		next := len(f.entry.messages)
		f.entry.mu.Unlock()
		for next > 0 && f.lock() {
			few := make([]*state.StoredMessage, min(next, 16))
			next -= copy(few, f.entry.messages[next-len(few):next])
			f.entry.mu.Unlock()
			for i := len(few) - 1; i >= 0; i-- {
				if m := few[i]; m != nil && !yield(*m) {
					return
				}
			}
		}
	}
}

// State returns the state at a revision.
func (f *facts) State(rev int64) json.RawMessage {
	if !f.lock() {
		return nil
	}
	defer f.entry.mu.Unlock()
	text, _ := f.entry.stateAt(rev)
	return text
}

// Past returns the way back to earlier states.
func (f *facts) Past() document.History {
	if !f.lock() {
		return document.History{}
	}
	defer f.entry.mu.Unlock()
	return f.entry.past
}

// Runs returns the runs before the newest.
func (f *facts) Runs() []state.Run {
	if !f.lock() {
		return nil
	}
	defer f.entry.mu.Unlock()
	return f.entry.runs
}

// State returns the state at a revision; see [store.Backend].
func (b *backend) State(_ context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	e := b.lock(key)
	if e == nil {
		return nil, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	text, ok := e.stateAt(rev)
	if !ok {
		return nil, state.ErrRevision
	}
	return text, nil
}

// Messages returns the conversation at a revision; see [store.Backend].
func (b *backend) Messages(_ context.Context, key state.Key, rev int64) (state.Conversation, error) {
	e := b.lock(key)
	if e == nil {
		return nil, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	list, ok := e.messagesAt(rev)
	if !ok {
		return nil, state.ErrRevision
	}
	return list, nil
}
