package state

import (
	"context"

	"github.com/agui-gateway/gateway/agui"
)

// Load returns the thread as committed; see [ThreadReader].
func (m *Memory) Load(ctx context.Context, key Key) (*Thread, []agui.Interrupt, error) {
	if err := m.ready(ctx); err != nil {
		return nil, nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, nil, err
	}
	defer m.leave(r)
	return r.snapshot(), OpenInterrupts(r.thread.Load(), r, m.o.Now()), nil
}

// Messages returns the conversation at a revision; see [ThreadReader].
func (m *Memory) Messages(ctx context.Context, key Key, rev int64) ([]agui.Message, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, err
	}
	defer m.leave(r)
	if rev < 0 {
		rev = r.thread.Load().Rev
	}
	return Conversation(r.messages, rev), nil
}
