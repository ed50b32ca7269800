package state

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Append adds frames to the log; see [Writer].
func (m *Memory) Append(ctx context.Context, l *Lease, after FrameID, frames []Frame) error {
	if err := m.ready(ctx); err != nil {
		return err
	}
	if err := checkFrames(l, frames); err != nil {
		return err
	}
	r, err := m.held(l)
	if err != nil {
		return err
	}
	defer m.leave(r)
	if r.log.last.Less(after) {
		return ErrGap
	}
	r.log.append(frames)
	return nil
}

// checkFrames holds the writer to its fence and to the order of the log.
func checkFrames(l *Lease, frames []Frame) error {
	for i, f := range frames {
		if f.ID.Fence != l.Fence || f.ID.Seq == 0 || i > 0 && f.ID.Seq <= frames[i-1].ID.Seq {
			return fmt.Errorf("state: frame %s is out of order under fence %d", f.ID, l.Fence)
		}
	}
	return nil
}

// Commit writes a turn boundary or the end of a run; see [Writer].
func (m *Memory) Commit(ctx context.Context, l *Lease, c Commit) (*Thread, error) {
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkFrames(l, c.Frames); err != nil {
		return nil, err
	}
	r, err := m.existing(l.Key)
	if err != nil {
		return nil, ErrLeaseLost
	}
	defer m.leave(r)
	t := r.snapshot()
	if t.Repeats(l, c) || c.End != nil && len(c.Frames) > 0 && r.log.has(c.Frames[len(c.Frames)-1].ID) {
		return t, nil // only the commit that ends a run writes its last frame
	}
	if !t.HeldBy(l) {
		return nil, ErrLeaseLost
	}
	if t.Last.Less(c.After) {
		return nil, ErrGap
	}
	now := m.o.Now()
	step, err := CommitStep(t, r, c, now)
	if err != nil {
		return nil, err
	}
	m.write(r, step, now)
	return r.snapshot(), nil
}

// Once records the result of an effect; see [Writer].
func (m *Memory) Once(ctx context.Context, l *Lease, key string, result json.RawMessage) error {
	return m.update(ctx, l, func(live *Live) *Live { return live.Recorded(key, result) })
}

// Renew makes the lease last; see [Writer].
func (m *Memory) Renew(ctx context.Context, l *Lease, ttl time.Duration) error {
	return m.update(ctx, l, func(live *Live) *Live { return live.Renewed(m.o.Now().Add(ttl)) })
}

// Release gives the run up; see [Writer].
func (m *Memory) Release(ctx context.Context, l *Lease) error {
	return m.update(ctx, l, func(live *Live) *Live { return live.Released(m.o.Now()) })
}

func (m *Memory) update(ctx context.Context, l *Lease, change func(*Live) *Live) error {
	if err := m.ready(ctx); err != nil {
		return err
	}
	r, err := m.held(l)
	if err != nil {
		return err
	}
	defer m.leave(r)
	r.attempt(change(r.thread.Load().Live))
	return nil
}
