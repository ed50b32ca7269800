package state

import (
	"context"
	"errors"
)

// PatchState changes the state from outside of a run; see [Patcher].
func (s *store) PatchState(ctx context.Context, r *PatchRequest) (PatchResult, error) {
	return retryConflicts(ctx, func() (PatchResult, error) {
		base, err := s.existing(ctx, r.Key, ReadOptions{})
		if err != nil {
			return PatchResult{}, err
		}
		step, result, err := PatchStep(base.Thread, base.Facts, r, claim(base, LeaseOptions{}).Fence, base.Now)
		if err := errors.Join(base.Facts.Err(), err); err != nil {
			return PatchResult{}, err
		}
		if step != nil {
			err = s.patch(ctx, base, step)
		}
		return result, err
	})
}

// patch has a step of patches written.
func (s *store) patch(ctx context.Context, base *Record, step *Step) error {
	after, written, err := s.write(ctx, &Write{Base: base, Step: step, Ends: len(step.Frames) > 0})
	if err == nil {
		s.show(ctx, after.Thread.Key.Digest(), after.Born, step.Frames, written.Before)
	}
	return err
}

// settle makes the patches that wait on a thread where nothing runs any more. It fails with ErrConflict if it wrote the
// thread, or somebody else did.
func (s *store) settle(ctx context.Context, base *Record) error {
	step, err := SettleStep(base.Thread, base.Facts, claim(base, LeaseOptions{}).Fence, base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil || step == nil {
		return err
	}
	if err := s.patch(ctx, base, step); err != nil {
		return err
	}
	return ErrConflict
}
