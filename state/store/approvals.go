package store

import (
	"context"
	"errors"

	"github.com/agui-gateway/gateway/state"
)

// Approvals returns the approvals; see [state.Approvals].
func (s *store) Approvals(ctx context.Context, key state.Key) ([]state.Approval, error) {
	return call(ctx, s, "approvals", func(ctx context.Context) ([]state.Approval, error) {
		return s.approvals(ctx, key)
	})
}

func (s *store) approvals(ctx context.Context, key state.Key) ([]state.Approval, error) {
	r, err := s.backend.Read(ctx, key, ReadOptions{})
	if err != nil {
		return nil, err
	}
	if !r.Exists() && !key.ForApprovals() {
		return nil, state.ErrUnknownThread
	}
	list := r.Thread.KeptApprovals(r.Now)
	for i := range list {
		list[i].ExpiresAt = list[i].CreatedAt.Add(state.ApprovalTTL)
		if forgotten := state.Deadline(r.Thread, r.Facts, s.o.ThreadTTL); !forgotten.IsZero() &&
			forgotten.Before(list[i].ExpiresAt) {
			list[i].ExpiresAt = forgotten
		}
	}
	return list, nil
}

// Remember adds an approval; see [state.Approvals].
func (s *store) Remember(ctx context.Context, key state.Key, a state.Approval) error {
	return s.run(ctx, "remember", func(ctx context.Context) error {
		return s.remember(ctx, key, a)
	})
}

// remember is one try.
func (s *store) remember(ctx context.Context, key state.Key, a state.Approval) error {
	base, err := s.backend.Read(ctx, key, ReadOptions{})
	if err != nil {
		return err
	}
	t := base.Thread
	if !base.Exists() {
		if !key.ForApprovals() {
			return state.ErrUnknownThread
		}
		t = &state.Thread{Key: key, Fence: base.Floor}
	}
	transition := state.PlanRemember(t, a, base.Now)
	if transition == nil {
		return s.replicated(ctx, base)
	}
	_, _, err = s.write(ctx, &Write{Base: base, Transition: transition})
	return err
}

// Revoke forgets an approval; see [state.Approvals].
func (s *store) Revoke(ctx context.Context, key state.Key, id string) (state.Approval, error) {
	return call(ctx, s, "revoke", func(ctx context.Context) (state.Approval, error) {
		return s.revoke(ctx, key, id)
	})
}

// revoke is one try.
func (s *store) revoke(ctx context.Context, key state.Key, id string) (state.Approval, error) {
	base, err := s.existing(ctx, key, ReadOptions{})
	if errors.Is(err, state.ErrUnknownThread) && key.ForApprovals() {
		err = state.ErrUnknownApproval
	}
	if err != nil {
		return state.Approval{}, err
	}
	transition, a := state.PlanRevoke(base.Thread, id, base.Now)
	if transition == nil {
		return state.Approval{}, state.ErrUnknownApproval
	}
	_, _, err = s.write(ctx, &Write{Base: base, Transition: transition})
	return a, err
}
