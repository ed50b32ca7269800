package gateway

import (
	"context"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
)

// A minter makes the ids of an attempt, and knows those it made: nothing said before has one of them.
type minter struct {
	make func() string

	mu   sync.Mutex
	made map[string]bool
}

func newMinter(newID func() string) *minter {
	return &minter{make: newID, made: map[string]bool{}}
}

func (m *minter) newID() string {
	id := m.make()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made[id] = true
	return id
}

// isNew reports whether an id was made here, with a prefix or without.
func (m *minter) isNew(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, rest, _ := strings.Cut(id, "_")
	return m.made[id] || m.made[rest]
}

// view is what the run begins with. The conversation as t has it is read when somebody looks at it, if it is known where
// it ends: results of calls are not where they came.
func (a *attempt) view(t *state.Thread) (*run.View, error) {
	if t.LastMessage == "" || t.LastMessage != t.LastUser {
		messages, err := a.messages(t.Rev)
		return run.NewView(messages, nil), err
	}
	return run.NewViewAfter(run.Earlier{
		Read: func() ([]agui.Message, error) { return a.readEarlier(t.Rev) },
		New:  a.ids.isNew,
		Last: t.LastMessage,
	}, nil), nil
}

// readEarlier reads messages for the run's view, under the run's lock: who stops the run must not have to wait for a store
// that is away. A run that cannot see what was said ends.
func (a *attempt) readEarlier(rev int64) ([]agui.Message, error) {
	ctx := a.ctx
	if ctx.Err() != nil {
		ctx = context.Background() // it is being ended
	}
	messages, err := a.messagesFor(ctx, rev)
	if err != nil && a.ctx.Err() == nil {
		a.fatal(err)
	}
	return messages, err
}
