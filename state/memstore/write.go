package memstore

import (
	"context"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// Write applies a transition; see [store.Backend].
func (b *backend) Write(_ context.Context, w *store.Write) (store.Written, error) {
	now := b.o.Now()
	if w.Begins || !w.Base.Exists() {
		b.sweep(now)
	}
	key := w.Transition.Thread.Key
	if err := b.books.Admit(w, b.limits(), b.evict); err != nil {
		return store.Written{}, err
	}
	e := b.lock(key)
	switch {
	case e == nil && w.Lease != nil:
		return store.Written{}, state.ErrLeaseLost
	case e == nil && w.Base.Exists():
		return store.Written{}, store.ErrConflict
	case e == nil:
		var err error
		if e, err = b.add(w); err != nil {
			return store.Written{}, err
		}
	}
	defer e.mu.Unlock()
	before := e.current()
	if e.tag == w.Tag {
		return store.Written{Before: before.Last, Last: before.Last}, nil // it was written before
	}
	t, err := w.Prepare(before, e.tag, now)
	if err != nil {
		return store.Written{}, err
	}
	e.apply(w.Transition, now)
	e.changed(t)
	e.tag, e.deadline, e.asks = w.Tag, w.Deadline, w.AsksUntil
	b.index(e, before.Rev == 0)
	return store.Written{Before: before.Last, Last: e.log.last}, nil
}

// changed makes t the thread.
func (e *entry) changed(t *state.Thread) {
	e.thread.Store(t)
	e.size.thread = threadSize(t)
}

// apply stores the parts of a transition beside the thread. The thread is still the one before it.
func (e *entry) apply(s *state.Transition, now time.Time) {
	e.remember(s)
	e.applyMessages(s)
	if e.tokens == nil && len(s.Tokens) > 0 {
		e.tokens = map[string]state.Token{}
	}
	for _, token := range s.Tokens {
		if old, ok := e.tokens[token.Interrupt.ID]; ok {
			e.size.tokens -= tokenSize(&old)
		}
		e.tokens[token.Interrupt.ID] = token
		e.size.tokens += tokenSize(&token)
	}
	for _, id := range s.Evicted {
		if old, ok := e.tokens[id]; ok {
			e.size.tokens -= tokenSize(&old)
			delete(e.tokens, id)
		}
	}
	e.log.append(s.Frames)
	if s.Thread.Live == nil {
		e.log.end(now, s.Thread.Rev)
	}
}

// applyMessages stores the messages that a transition removes and adds.
func (e *entry) applyMessages(s *state.Transition) {
	for _, id := range s.Left {
		place := e.known[id]
		e.size.messages += placeSize(id)
		e.replace(s, place.Slot)
		e.messages[place.Slot] = nil
		place.Left = true
		e.known[id] = place
	}
	if e.known == nil && len(s.Append) > 0 {
		e.known = map[string]state.Place{}
	}
	for _, m := range s.Append {
		for len(e.messages) <= m.Slot {
			e.messages = append(e.messages, nil)
		}
		e.replace(s, m.Slot)
		if e.known[m.ID].Left { // it comes back
			e.size.messages -= placeSize(m.ID)
		}
		kept := m.Lean()
		e.messages[m.Slot] = &kept
		e.known[m.ID] = m.Place()
		e.size.messages += messageSize(&kept)
	}
	e.messages = e.messages[:s.Thread.Slots]
}

// index updates the indexes with the entry, which is locked.
func (b *backend) index(e *entry, born bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(e)
	if born {
		name := state.Key{Principal: e.key.Principal, ID: e.key.ID}
		b.named[name] = append(b.named[name], e)
		if b.owned[e.key.Principal] == nil {
			b.owned[e.key.Principal] = &order{}
		}
	}
	b.owned[e.key.Principal].put(e)
	if e.thread.Load().Live != nil {
		b.live[e] = struct{}{}
		e.due.Leave()
		return
	}
	delete(b.live, e)
	e.due.Join(&b.due, e, b.nextSweep(e))
}

// Append adds frames to the log; see [store.Backend]. Memory loses no transition, so the revision is not used.
func (b *backend) Append(
	_ context.Context, l *state.Lease, _ int64, after state.FrameID, frames []state.Frame,
) (state.FrameID, state.Flags, error) {
	before, flags, err := b.append(l, after, frames)
	if err == nil && b.o.Limit > 0 && !b.makeRoom(b.o.Limit, l.Key) {
		flags.Stopped = true // the live runs need more than the limit
	}
	return before, flags, err
}

func (b *backend) append(
	l *state.Lease, after state.FrameID, frames []state.Frame,
) (before state.FrameID, flags state.Flags, err error) {
	e := b.lock(l.Key)
	if e == nil {
		return state.FrameID{}, state.Flags{}, state.ErrLeaseLost
	}
	defer e.mu.Unlock()
	t := e.thread.Load()
	before = e.log.last
	if !t.HeldBy(l) {
		return before, state.Flags{}, state.ErrLeaseLost
	}
	if before.Less(after) {
		return before, state.Flags{}, state.ErrGap
	}
	e.log.append(frames)
	b.note(e)
	return before, t.Live.Flags(), nil
}

// UpdateAttempt changes the live attempt; see [store.Backend].
func (b *backend) UpdateAttempt(_ context.Context, key state.Key, u store.AttemptUpdate) (store.Attempt, error) {
	e := b.lock(key)
	switch {
	case e == nil && u.Lease != nil:
		return store.Attempt{}, state.ErrLeaseLost
	case e == nil:
		return store.Attempt{}, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	t, now := *e.thread.Load(), b.o.Now()
	live, err := u.Apply(&t, now)
	if live != nil {
		t.Live = live
		e.changed(&t)
		b.note(e)
	}
	return store.AttemptOf(live, now), err
}

// UpdateQueue changes the queue of a thread; see [store.Backend].
func (b *backend) UpdateQueue(_ context.Context, key state.Key, u store.QueueUpdate) (*state.Thread, time.Time, error) {
	now := b.o.Now()
	e := b.lock(key)
	if e == nil {
		return nil, now, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	t := *e.thread.Load()
	var err error
	if t.Queue, err = u.Prepare(&t, e.tag, now); err != nil {
		return nil, now, err
	}
	e.changed(&t)
	b.note(e)
	return &t, now, nil
}
