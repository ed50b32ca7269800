package state

import (
	"context"
	"encoding/json"
	"slices"

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

// Snapshot returns the thread with what is kept beside it; see [ThreadReader].
func (m *Memory) Snapshot(ctx context.Context, key Key) (*Snapshot, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, err
	}
	defer m.leave(r)
	t := r.snapshot()
	s := &Snapshot{
		Thread: t, Interrupts: OpenInterrupts(t, r, m.o.Now()), State: r.state,
	}
	s.Messages, _ = r.messagesAt(-1)
	s.Runs = r.allRuns()
	return s, nil
}

// Runs returns the runs that are remembered; see [ThreadReader].
func (m *Memory) Runs(ctx context.Context, key Key) ([]Run, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, err
	}
	defer m.leave(r)
	return r.allRuns(), nil
}

func (r *room) allRuns() []Run {
	if newest := r.thread.Load().Run; newest != nil {
		return slices.Concat([]Run{*newest}, r.runs)
	}
	return nil
}

// State returns the state at a revision; see [ThreadReader].
func (m *Memory) State(ctx context.Context, key Key, rev int64) (json.RawMessage, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, err
	}
	defer m.leave(r)
	state, ok := r.stateAt(rev)
	if !ok {
		return nil, ErrRevision
	}
	return state, nil
}

// Messages returns the conversation at a revision; see [ThreadReader].
func (m *Memory) Messages(ctx context.Context, key Key, rev int64) (Conversation, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, err
	}
	defer m.leave(r)
	list, ok := r.messagesAt(rev)
	if !ok {
		return nil, ErrRevision
	}
	return list, nil
}
