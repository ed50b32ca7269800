package memstore

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/agui-gateway/gateway/state"
)

// Find returns the threads with an id; see [state.Backend].
func (b *backend) Find(_ context.Context, principal, id string) ([]state.Key, error) {
	b.mu.Lock()
	entries := slices.Clone(b.named[state.Key{Principal: principal, ID: id}])
	b.mu.Unlock()
	var keys []state.Key
	for _, e := range entries {
		e.mu.Lock()
		if !e.gone && !b.expired(e) {
			keys = append(keys, e.key)
		}
		e.mu.Unlock()
	}
	slices.SortFunc(keys, func(a, b state.Key) int { return cmp.Compare(a.Agent, b.Agent) })
	return keys, nil
}

// Index yields the threads of a principal; see [state.Backend].
func (b *backend) Index(_ context.Context, q state.IndexQuery) iter.Seq2[state.IndexEntry, error] {
	return func(yield func(state.IndexEntry, error) bool) {
		type place struct {
			entry *entry
			at    state.Cursor
		}
		var places []place
		b.mu.Lock()
		for e := range b.owned[q.Principal] {
			at := state.CursorOf(e.thread.Load())
			if (q.Agent == "" || q.Agent == e.key.Agent) && (q.From == nil || at.Compare(*q.From) > 0) {
				places = append(places, place{e, at})
			}
		}
		b.mu.Unlock()
		slices.SortFunc(places, func(a, b place) int { return a.at.Compare(b.at) })
		for _, p := range places {
			if s, ok := b.summary(p.entry); ok && !yield(state.IndexEntry{At: p.at, Summary: s}, nil) {
				return
			}
		}
	}
}

// summary is the thread in a listing, unless it is gone.
func (b *backend) summary(e *entry) (state.Summary, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone || b.expired(e) {
		return state.Summary{}, false
	}
	t := e.thread.Load()
	f := &facts{tokens: e.tokens}
	return state.Summary{
		Key: t.Key, Status: state.StatusOf(t, f, b.o.Now()), Title: t.Title, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}, true
}

// Overdue returns threads whose run nobody owns; see [state.Backend].
func (b *backend) Overdue(_ context.Context, limit int) ([]state.Key, error) {
	now := b.o.Now()
	b.sweep(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []state.Key
	for e := range b.live {
		if limit > 0 && len(keys) == limit {
			break
		}
		if e.thread.Load().Overdue(now) {
			keys = append(keys, e.key)
		}
	}
	return keys, nil
}
