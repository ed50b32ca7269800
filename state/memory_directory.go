package state

import (
	"cmp"
	"context"
	"slices"
)

// Find returns the threads with an id; see [Directory].
func (m *Memory) Find(ctx context.Context, principal, id string) ([]Key, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	rooms := slices.Clone(m.named[Key{Principal: principal, ID: id}])
	m.mu.Unlock()
	var keys []Key
	for _, r := range rooms {
		r.mu.Lock()
		if !r.gone && !m.expired(r) {
			keys = append(keys, r.key)
		}
		r.mu.Unlock()
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.Agent, b.Agent) })
	return keys, nil
}

// List returns a page of threads; see [Directory].
func (m *Memory) List(ctx context.Context, q Query) (Page, error) {
	if err := m.ready(ctx); err != nil {
		return Page{}, err
	}
	var from Cursor
	if q.Cursor != "" {
		var err error
		if from, err = ParseCursor(q.Cursor); err != nil {
			return Page{}, err
		}
	}
	type entry struct {
		room *room
		at   Cursor
	}
	var entries []entry
	m.mu.Lock()
	for r := range m.owned[q.Principal] {
		at := CursorOf(r.thread.Load())
		if (q.Agent == "" || q.Agent == r.key.Agent) && (q.Cursor == "" || at.Compare(from) > 0) {
			entries = append(entries, entry{r, at})
		}
	}
	m.mu.Unlock()
	slices.SortFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	limit := cmp.Or(max(q.Limit, 0), defaultLimit)
	var page Page
	var last Cursor
	for _, e := range entries {
		s, ok := m.summary(e.room)
		if !ok || q.Status != "" && q.Status != s.Status {
			continue
		}
		if len(page.Threads) == limit {
			page.Next = last.String()
			break
		}
		page.Threads = append(page.Threads, s)
		last = e.at
	}
	return page, nil
}

// defaultLimit is how many threads a page has if nobody says.
const defaultLimit = 20

// summary is the room in a listing, unless it is gone.
func (m *Memory) summary(r *room) (Summary, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || m.expired(r) {
		return Summary{}, false
	}
	t := r.thread.Load()
	return Summary{Key: t.Key, Status: StatusOf(t, r, m.o.Now()), Title: t.Title, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt}, true
}

// Rename sets the title; see [Directory].
func (m *Memory) Rename(ctx context.Context, key Key, title string) error {
	if err := m.ready(ctx); err != nil {
		return err
	}
	r, err := m.existing(key)
	if err != nil {
		return err
	}
	defer m.leave(r)
	now := m.o.Now()
	m.write(r, RenameStep(r.snapshot(), title, now), now)
	return nil
}

// Fork makes a thread of another's beginning; see [Directory].
func (m *Memory) Fork(ctx context.Context, from Key, messageID, id string) (*Thread, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(from)
	if err != nil {
		return nil, err
	}
	now := m.o.Now()
	step, err := ForkStep(r.snapshot(), r, messageID, Key{Principal: from.Principal, Agent: from.Agent, ID: id}, now)
	m.leave(r) // before the other room is entered: nobody ever waits in one for another
	if err != nil {
		return nil, err
	}
	to := m.enter(step.Thread.Key, true)
	defer m.leave(to)
	if to.thread.Load().Rev > 0 {
		return nil, ErrThreadExists
	}
	m.write(to, step, now)
	return to.snapshot(), nil
}

// Delete forgets the thread; see [Directory].
func (m *Memory) Delete(ctx context.Context, key Key) error {
	if err := m.ready(ctx); err != nil {
		return err
	}
	r, err := m.existing(key)
	if err != nil {
		return err
	}
	defer m.leave(r)
	if t := r.snapshot(); t.Live != nil {
		last, err := DeletedFrame(t.nextFrame())
		if err != nil {
			return err
		}
		r.log.append([]Frame{last})
	}
	m.forget(r)
	return nil
}
