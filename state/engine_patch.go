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
		transition, result, err := PlanPatch(base.Thread, base.Facts, r, claim(base, LeaseOptions{}).Fence, base.Now)
		if err := errors.Join(base.Facts.Err(), err); err != nil {
			return PatchResult{}, err
		}
		if transition != nil {
			err = s.patch(ctx, base, transition)
		}
		return result, err
	})
}

// patch has a transition of patches written.
func (s *store) patch(ctx context.Context, base *Record, transition *Transition) error {
	after, written, err := s.write(ctx, &Write{Base: base, Transition: transition, Ends: len(transition.Frames) > 0})
	if err == nil {
		s.show(ctx, after.Thread.Key.Digest(), after.Born, transition.Frames, written.Before)
	}
	return err
}

// settle makes the patches that wait on a thread where nothing runs any more. It fails with ErrConflict if it wrote the
// thread, or somebody else did.
func (s *store) settle(ctx context.Context, base *Record) error {
	transition, err := PlanSettle(base.Thread, base.Facts, claim(base, LeaseOptions{}).Fence, base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil || transition == nil {
		return err
	}
	if err := s.patch(ctx, base, transition); err != nil {
		return err
	}
	return ErrConflict
}
