package state

import (
	"context"
	"time"
)

// Begin judges a request and makes the verdict come true; see [Admitter].
func (m *Memory) Begin(ctx context.Context, q *Request, o LeaseOptions) (*Begun, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	now := m.o.Now()
	m.sweep(now)
	r := m.enter(q.Key, true)
	defer m.leave(r)
	if err := m.settle(r); err != nil {
		return nil, err
	}
	t := r.snapshot()
	v, step, err := Plan(t, r, q, m.claim(t, o, now), now)
	if err != nil {
		return nil, err
	}
	if step != nil {
		m.write(r, step, now)
	}
	if v.Meaning == Queued {
		t := *r.thread.Load()
		t.Queue, _ = Enqueue(t.Queue, q.Wait, now) // there is room, or it would be busy
		r.thread.Store(&t)
	}
	begun := &Begun{Verdict: v, Thread: r.snapshot(), Known: r.thread.Load().Rev > 0, Interrupts: OpenInterrupts(r.thread.Load(), r, now), Now: now}
	if v.Meaning.Runs() {
		begun.Lease = m.lease(r, step != nil)
	}
	return begun, nil
}

func (m *Memory) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return m.Ping(ctx)
}

// claim is what an attempt asks for, with its fence.
func (m *Memory) claim(t *Thread, o LeaseOptions, now time.Time) Claim {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Claim{Attempt: o.Attempt, TTL: o.TTL, Fence: max(NextFence(t, now), m.floor+1)}
}

// lease is the lease of the live attempt: a new one, or the one it has.
func (m *Memory) lease(r *room, fresh bool) *Lease {
	if fresh || r.signals == nil {
		r.signals = newSignals()
	}
	live := r.thread.Load().Live
	if live.Stopped {
		r.signals.tell(SignalStop)
	}
	return &Lease{Key: r.key, Attempt: live.Attempt, Fence: live.Fence, Signals: r.signals.ch}
}

// Overdue returns threads whose run nobody owns; see [Admitter]. It is also what sweeps a quiet store.
func (m *Memory) Overdue(ctx context.Context, limit int) ([]Key, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	now := m.o.Now()
	m.sweep(now)
	m.mu.Lock()
	defer m.mu.Unlock()
	var keys []Key
	for r := range m.live {
		if limit > 0 && len(keys) == limit {
			break
		}
		if r.thread.Load().Overdue(now) {
			keys = append(keys, r.key)
		}
	}
	return keys, nil
}

// Take gives an overdue run to a new attempt; see [Admitter].
func (m *Memory) Take(ctx context.Context, key Key, o LeaseOptions) (*Begun, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	r, err := m.existing(key)
	if err != nil {
		return nil, ErrLeaseLost
	}
	defer m.leave(r)
	now := m.o.Now()
	t := r.snapshot()
	again := t.Live != nil && t.Live.Attempt == o.Attempt && o.Attempt != "" // its answer was lost
	if !again {
		if !t.Overdue(now.Add(-o.Overdue)) {
			return nil, ErrLeaseLost
		}
		r.signals.tell(SignalLost)
		m.write(r, TakeStep(t, m.claim(t, o, now), now), now)
	}
	live := r.thread.Load().Live
	return &Begun{
		Verdict: Verdict{Meaning: live.Intent.Meaning, Row: live.Intent.Row, Claims: live.Intent.Claims},
		Thread:  r.snapshot(), Known: true, Interrupts: OpenInterrupts(r.thread.Load(), r, now),
		Lease: m.lease(r, !again), Now: now,
	}, nil
}

// Signal tells the live attempt something; see [Admitter].
func (m *Memory) Signal(ctx context.Context, key Key, run uint64, s Signal) (bool, error) {
	if err := m.ready(ctx); err != nil {
		return false, err
	}
	r, err := m.existing(key)
	if err != nil {
		return false, err
	}
	defer m.leave(r)
	t := r.thread.Load()
	if t.Live == nil || run != 0 && run != t.Live.Intent.Origin {
		return false, nil
	}
	r.attempt(t.Live.Told(s))
	r.signals.tell(s)
	return true, nil
}

// NoteReader notes that the live run has a reader; see [Admitter].
func (m *Memory) NoteReader(ctx context.Context, key Key, d time.Duration) (time.Duration, bool, error) {
	if err := m.ready(ctx); err != nil {
		return 0, false, err
	}
	r, err := m.existing(key)
	if err != nil {
		return 0, false, err
	}
	defer m.leave(r)
	live := r.thread.Load().Live
	if live == nil {
		return 0, false, nil
	}
	now := m.o.Now()
	if d > 0 {
		live = live.ReadFor(d, now)
		r.attempt(live)
	}
	return live.ReadUntil.Sub(now), true, nil
}

// attempt replaces what is known of the live attempt. It is no step: the revision stays.
func (r *room) attempt(live *Live) {
	t := *r.thread.Load()
	t.Live = live
	r.thread.Store(&t)
}
