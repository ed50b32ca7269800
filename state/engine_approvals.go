package state

import (
	"context"
	"errors"
)

// Approvals returns the approvals; see [Approvals].
func (s *store) Approvals(ctx context.Context, key Key) ([]Approval, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	r, err := s.backend.Read(ctx, key, ReadOptions{})
	if err != nil {
		return nil, err
	}
	if !r.Exists() && key.Principal != approvalsOf {
		return nil, ErrUnknownThread
	}
	list := keptApprovals(r.Thread.Approvals, r.Now)
	for i := range list {
		list[i].ExpiresAt = list[i].CreatedAt.Add(ApprovalTTL)
		if forgotten := Deadline(r.Thread, r.Facts, s.o.ThreadTTL); !forgotten.IsZero() &&
			forgotten.Before(list[i].ExpiresAt) {
			list[i].ExpiresAt = forgotten
		}
	}
	return list, nil
}

// Remember adds an approval; see [Approvals].
func (s *store) Remember(ctx context.Context, key Key, a Approval) error {
	_, err := retryConflicts(ctx, func() (*Record, error) {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
		base, err := s.backend.Read(ctx, key, ReadOptions{})
		if err != nil {
			return nil, err
		}
		t := base.Thread
		if !base.Exists() {
			if key.Principal != approvalsOf {
				return nil, ErrUnknownThread
			}
			t = &Thread{Key: key, Fence: base.Floor}
		}
		transition := PlanRemember(t, a, base.Now)
		if transition == nil {
			return base, s.replicated(ctx, base)
		}
		after, _, err := s.write(ctx, &Write{Base: base, Transition: transition})
		return after, err
	})
	return err
}

// Revoke forgets an approval; see [Approvals].
func (s *store) Revoke(ctx context.Context, key Key, id string) (Approval, error) {
	return retryConflicts(ctx, func() (Approval, error) {
		base, err := s.existing(ctx, key, ReadOptions{})
		if errors.Is(err, ErrUnknownThread) && key.Principal == approvalsOf {
			err = ErrUnknownApproval
		}
		if err != nil {
			return Approval{}, err
		}
		transition, a := PlanRevoke(base.Thread, id, base.Now)
		if transition == nil {
			return Approval{}, ErrUnknownApproval
		}
		_, _, err = s.write(ctx, &Write{Base: base, Transition: transition})
		return a, err
	})
}
