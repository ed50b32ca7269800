package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/state"
)

const (
	// defaultLimit is the default number of threads in a page.
	defaultLimit = 20
	// selectingCount is about how many threads are read at once where a query selects some of them.
	selectingCount = 250
)

// List returns a page of threads; see [state.Directory]. A thread that has moved in the index is shown at its former
// place.
func (s *store) List(ctx context.Context, q state.Query) (state.Page, error) {
	return call(ctx, s, "list", func(ctx context.Context) (state.Page, error) { return s.list(ctx, q) })
}

func (s *store) list(ctx context.Context, q state.Query) (state.Page, error) {
	limit := cmp.Or(max(q.Limit, 0), defaultLimit)
	words := strings.Fields(strings.ToLower(q.Text))
	index := IndexQuery{Principal: q.Principal, Agent: q.Agent, Count: limit + 1}
	if q.Status != "" || len(words) > 0 {
		index.Count = max(index.Count, selectingCount)
		if q.Look > 0 {
			index.Most = q.Look + 1 // whether there is another
		}
	}
	if q.Cursor != "" {
		from, err := state.ParseCursor(q.Cursor)
		if err != nil {
			return state.Page{}, err
		}
		index.From = &from
	}
	var page state.Page
	var last state.Cursor // of the thread that was looked at last
	looked := 0
	for e, err := range s.backend.Index(ctx, index) {
		if err != nil {
			return state.Page{}, err
		}
		if q.Look > 0 && looked == q.Look {
			page.Next = last.String()
			break
		}
		looked++
		if selects(&q, &e.Summary, words) {
			if len(page.Threads) == limit {
				page.Next = last.String()
				break
			}
			page.Threads = append(page.Threads, e.Summary)
		}
		last = e.At
	}
	return page, nil
}

// selects reports whether the query asks for a thread. The words are those of q.Text, in lower case.
func selects(q *state.Query, t *state.Summary, words []string) bool {
	if q.Status != "" && q.Status != t.Status || slices.Contains(q.Without, t.Key.Agent) {
		return false
	}
	if len(words) == 0 {
		return true
	}
	title, agent := strings.ToLower(t.Title), strings.ToLower(t.Key.Agent)
	return !slices.ContainsFunc(words, func(word string) bool {
		return !strings.Contains(title, word) && !strings.Contains(agent, word)
	})
}
