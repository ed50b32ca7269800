package redisstore

import (
	"context"
	"errors"

	"github.com/agui-gateway/gateway/state"
)

// PatchState changes the state from outside of a run; see [state.Patcher].
func (s *Store) PatchState(ctx context.Context, q *state.PatchRequest) (state.PatchResult, error) {
	for try := range tries {
		l, err := s.load(ctx, q.Key, wish{})
		if err != nil {
			return state.PatchResult{}, err
		}
		if !l.exists() {
			return state.PatchResult{}, state.ErrUnknownThread
		}
		step, result, err := state.PatchStep(l.thread, l.facts, q, claim(l, state.LeaseOptions{}).Fence, l.now)
		if err := errors.Join(l.facts.err, err); err != nil {
			return state.PatchResult{}, err
		}
		if step == nil {
			return result, nil
		}
		if done, err := s.patch(ctx, l, step); done || err != nil {
			return result, err
		}
		if err := again(ctx, try); err != nil {
			return state.PatchResult{}, err
		}
	}
	return state.PatchResult{}, errBusy
}

// patch writes a step of patches. It returns false if somebody else wrote the thread meanwhile.
func (s *Store) patch(ctx context.Context, l *loaded, step *state.Step) (bool, error) {
	t := step.Thread
	if err := s.announce(ctx, &state.Thread{Key: t.Key, UpdatedAt: t.UpdatedAt}); err != nil {
		return false, err
	}
	status, after, err := s.write(ctx, l, change{step: step, ended: len(step.Frames) > 0})
	if err != nil || status != didIt {
		return false, err
	}
	s.show(slotOf(t.Key), after.born, step.Frames, after.before)
	return true, nil
}

// settle makes the patches that wait on a thread where nothing runs any more. It returns true if it wrote the thread, or
// somebody else did.
func (s *Store) settle(ctx context.Context, l *loaded) (bool, error) {
	step, err := state.SettleStep(l.thread, l.facts, claim(l, state.LeaseOptions{}).Fence, l.now)
	if err := errors.Join(l.facts.err, err); err != nil || step == nil {
		return false, err
	}
	_, err = s.patch(ctx, l, step)
	return true, err
}
