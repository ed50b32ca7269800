package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// checkFrames holds the writer to its fence and to the order of the log.
func checkFrames(l *state.Lease, frames []state.Frame) error {
	for i, f := range frames {
		if f.ID.Fence != l.Fence || f.ID.Seq == 0 || i > 0 && f.ID.Seq <= frames[i-1].ID.Seq {
			return fmt.Errorf("state: frame %s is out of order under fence %d", f.ID, l.Fence)
		}
	}
	return nil
}

// writable reports why the holder of a lease can write nothing. One that was given up has no attempt.
func (s *store) writable(l *state.Lease, frames []state.Frame) error {
	if l.Attempt == "" {
		return state.ErrLeaseLost
	}
	return checkFrames(l, frames)
}

// granted passes on the error of a call that needs a lease, and forgets a lease that is lost.
func (s *store) granted(l *state.Lease, err error) error {
	if errors.Is(err, state.ErrLeaseLost) {
		s.lost(l)
	}
	return err
}

// Append adds frames to the log; see [state.Writer]. Readers of this process are given them from memory.
func (s *store) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	return s.run(ctx, "append", func(ctx context.Context) error {
		if err := s.writable(l, frames); err != nil {
			return err
		}
		own := s.owner(l)
		revision, born := own.seen()
		before, flags, err := s.backend.Append(ctx, l, revision, after, frames)
		if err != nil {
			return s.granted(l, err)
		}
		own.applyFlags(flags)
		s.show(ctx, digestOf(l), born, frames, before)
		return nil
	})
}

// Commit writes a turn boundary or the end of a run; see [state.Writer].
func (s *store) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	return call(ctx, s, "commit", func(ctx context.Context) (*state.Thread, error) {
		if err := s.writable(l, c.Frames); err != nil {
			return nil, err
		}
		return s.commit(ctx, l, c)
	})
}

// commit is one try.
func (s *store) commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	own := s.owner(l)
	revision, _ := own.seen()
	read := ReadOptions{Have: own.known()}
	for _, m := range c.Messages {
		read.Messages = append(read.Messages, m.ID)
	}
	if c.End != nil && len(c.Frames) > 0 {
		read.Frame = c.Frames[len(c.Frames)-1].ID
	}
	base, err := s.backend.Read(ctx, l.Key, read)
	if err != nil {
		return nil, err
	}
	t := base.Thread
	switch {
	case !base.Exists():
		return nil, s.granted(l, state.ErrLeaseLost)
	case t.Repeats(l, c) || base.HasFrame: // only the commit that ends a run writes its last frame
		return s.repeated(ctx, l, c, base)
	case !t.HeldBy(l) || t.Rev < revision: // or the store went back behind a commit of this run
		return nil, s.granted(l, state.ErrLeaseLost)
	case t.Last.Less(c.After):
		return nil, state.ErrGap
	}
	transition, err := state.PlanCommit(t, base.Facts, c, base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil {
		return nil, err
	}
	after, written, err := s.write(ctx,
		&Write{Base: base, Transition: transition, Lease: l, After: c.After, Ends: c.End != nil})
	// or it is done, its reply was lost, and another run has begun since
	if errors.Is(err, state.ErrLeaseLost) && !read.Frame.IsZero() {
		again, err := s.backend.Read(ctx, l.Key, ReadOptions{Frame: read.Frame})
		if err != nil {
			return nil, err
		}
		if again.HasFrame {
			return s.repeated(ctx, l, c, again)
		}
	}
	if err != nil {
		return nil, s.granted(l, err)
	}
	s.show(ctx, digestOf(l), after.Born, transition.Frames, written.Before)
	if c.End == nil {
		own.remember(after)
	} else {
		s.ended(l)
	}
	return after.Thread, nil
}

// repeated returns the thread after a commit that was made before with a lost reply.
func (s *store) repeated(ctx context.Context, l *state.Lease, c state.Commit, r *Record) (*state.Thread, error) {
	if err := s.replicated(ctx, r); err != nil {
		return nil, err
	}
	if c.End != nil {
		s.ended(l)
	}
	return r.Thread, nil
}

// update changes the record of the attempt that holds a lease.
func (s *store) update(ctx context.Context, operation string, l *state.Lease, u AttemptUpdate) error {
	return s.run(ctx, operation, func(ctx context.Context) error {
		if err := s.writable(l, nil); err != nil {
			return err
		}
		u.Lease = l
		a, err := s.backend.UpdateAttempt(ctx, l.Key, u)
		if err != nil {
			return s.granted(l, err)
		}
		own := s.owner(l)
		if u.Op == AttemptRelease {
			s.handOver(l)
			return nil
		}
		if u.Op == AttemptRenew {
			own.renewed(u.TTL)
		}
		own.applyFlags(a.Flags)
		return nil
	})
}

// Once records the result of an effect; see [state.Writer].
func (s *store) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	return s.update(ctx, "once", l, AttemptUpdate{Op: AttemptRecord, Effect: key, Result: result})
}

// Renew makes the lease last; see [state.Writer].
func (s *store) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	return s.update(ctx, "renew", l, AttemptUpdate{Op: AttemptRenew, TTL: min(ttl, state.MaxTTL)})
}

// Release gives the run up; see [state.Writer].
func (s *store) Release(ctx context.Context, l *state.Lease) error {
	return s.update(ctx, "release", l, AttemptUpdate{Op: AttemptRelease})
}

// PatchState changes the state from outside of a run; see [state.Patcher].
func (s *store) PatchState(ctx context.Context, r *state.PatchRequest) (state.PatchResult, error) {
	return call(ctx, s, "patch_state", func(ctx context.Context) (state.PatchResult, error) {
		return s.patchState(ctx, r)
	})
}

// patchState is one try.
func (s *store) patchState(ctx context.Context, r *state.PatchRequest) (state.PatchResult, error) {
	base, err := s.existing(ctx, r.Key, ReadOptions{})
	if err != nil {
		return state.PatchResult{}, err
	}
	fence := claim(base, state.LeaseOptions{}).Fence
	transition, result, err := state.PlanPatch(base.Thread, base.Facts, r, fence, base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil {
		return state.PatchResult{}, err
	}
	if !r.Known {
		err = s.affords(ctx, r.Key.Principal, r.MaxStored, transition)
	}
	if err == nil && transition != nil {
		err = s.patch(ctx, base, transition)
	}
	return result, err
}

// patch has a transition of patches written.
func (s *store) patch(ctx context.Context, base *Record, transition *state.Transition) error {
	after, written, err := s.write(ctx, &Write{Base: base, Transition: transition, Ends: len(transition.Frames) > 0})
	if err == nil {
		s.show(ctx, after.Thread.Key.Digest(), after.Born, transition.Frames, written.Before)
	}
	return err
}

// settle makes the patches that wait on a thread where nothing runs any more. It fails with ErrConflict if it wrote the
// thread, or somebody else did.
func (s *store) settle(ctx context.Context, base *Record) error {
	transition, err := state.PlanSettle(base.Thread, base.Facts, claim(base, state.LeaseOptions{}).Fence, base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil || transition == nil {
		return err
	}
	if err := s.patch(ctx, base, transition); err != nil {
		return err
	}
	return ErrConflict
}
