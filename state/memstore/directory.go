package memstore

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// Find returns the threads with an id; see [store.Backend].
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

// indexPage is about how many threads of an index are read at once.
const indexPage = 64

// Index yields the threads of a principal; see [store.Backend].
func (b *backend) Index(_ context.Context, q store.IndexQuery) iter.Seq2[store.IndexEntry, error] {
	return func(yield func(store.IndexEntry, error) bool) {
		for {
			var page []listed
			b.mu.Lock()
			if o := b.owned[q.Principal]; o != nil {
				page = o.newest(&q, indexPage)
			}
			b.mu.Unlock()
			if len(page) == 0 {
				return
			}
			for _, l := range page {
				if s, ok := b.summary(l.entry); ok && !yield(store.IndexEntry{At: l.at, Summary: s}, nil) {
					return
				}
			}
			q.From = &page[len(page)-1].at
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
		Key: t.Key, Status: state.StatusOf(t, f, b.o.Now()), Title: t.Title, CreatedAt: t.CreatedAt,
		UpdatedAt: t.UpdatedAt, Calls: len(t.OpenCalls()),
	}, true
}

// Overdue returns the threads with a run and no lease; see [store.Backend]. It sweeps everything that has expired.
func (b *backend) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	now := b.o.Now()
	for !b.sweep(now) && ctx.Err() == nil { // other calls use the store meanwhile
	}
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
