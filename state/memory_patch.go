package state

import "context"

// PatchState changes the state from outside of a run; see [Patcher].
func (m *Memory) PatchState(ctx context.Context, q *PatchRequest) (PatchResult, error) {
	if err := m.ready(ctx); err != nil {
		return PatchResult{}, err
	}
	r, err := m.existing(q.Key)
	if err != nil {
		return PatchResult{}, err
	}
	defer m.leave(r)
	now := m.o.Now()
	t := r.snapshot()
	step, result, err := PatchStep(t, r, q, m.claim(t, LeaseOptions{}, now).Fence, now)
	if err != nil {
		return PatchResult{}, err
	}
	if step != nil {
		m.write(r, step, now)
	}
	return result, nil
}

// settle makes the patches that wait in a room where nothing runs any more. The room is locked.
func (m *Memory) settle(r *room) error {
	now := m.o.Now()
	t := r.snapshot()
	step, err := SettleStep(t, r, m.claim(t, LeaseOptions{}, now).Fence, now)
	if step != nil {
		m.write(r, step, now)
	}
	return err
}
