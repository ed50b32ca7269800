package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// leaseArgs say which lease a writer has; one that was given up has no attempt.
func leaseArgs(l *state.Lease) (args, error) {
	if l.Attempt == "" {
		return nil, state.ErrLeaseLost
	}
	return args{l.Attempt, strconv.FormatUint(l.Fence, 10)}, nil
}

// checkFrames holds the writer to its fence and to the order of the log.
func checkFrames(l *state.Lease, frames []state.Frame) error {
	if l.Attempt == "" {
		return state.ErrLeaseLost
	}
	for i, f := range frames {
		if f.ID.Fence != l.Fence || f.ID.Seq == 0 || i > 0 && f.ID.Seq <= frames[i-1].ID.Seq {
			return fmt.Errorf("redisstore: frame %s is out of order under fence %d", f.ID, l.Fence)
		}
	}
	return nil
}

// Append adds frames to the log; see [state.Writer]. Many are sent in several pieces, in their order.
func (s *Store) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	if err := checkFrames(l, frames); err != nil {
		return err
	}
	for {
		n := piece(frames)
		if err := s.append(ctx, l, after, frames[:n]); err != nil || n == len(frames) {
			return err
		}
		after, frames = frames[n-1].ID, frames[n:]
	}
}

// piece is how many of frames are sent at once.
func piece(frames []state.Frame) int {
	size := 0
	for i, f := range frames {
		if size += len(f.Data); size > mostBytes && i > 0 {
			return i
		}
	}
	return len(frames)
}

// append adds frames in one exchange. Readers of this process are given them from memory.
func (s *Store) append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	own := s.owner(l)
	a, err := leaseArgs(l)
	if err != nil {
		return err
	}
	a.add(own.revision(), idText(after))
	if err := a.frames(frames); err != nil {
		return err
	}
	h := slotOf(l.Key)
	r, err := s.run(ctx, appendScript, h, a)
	if err != nil {
		return err
	}
	if err := s.granted(l, r); err != nil {
		return err
	}
	own.heed(r.list(3))
	before, err := frameID(r.text(1))
	s.show(h, own.born(), frames, before)
	return err
}

// granted reads the answer of a script that asks for a lease.
func (s *Store) granted(l *state.Lease, r reply) error {
	switch r.text(0) {
	case didIt:
		return nil
	case gap:
		return state.ErrGap
	default:
		s.lost(l)
		return state.ErrLeaseLost
	}
}

// Commit writes a turn boundary or the end of a run; see [state.Writer].
func (s *Store) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if err := checkFrames(l, c.Frames); err != nil {
		return nil, err
	}
	for try := range tries {
		t, err := s.commit(ctx, l, c)
		if t != nil || err != nil {
			return t, err
		}
		if err := again(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// commit is one try; it returns nothing if somebody else wrote the thread meanwhile.
func (s *Store) commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	own := s.owner(l)
	w := wish{have: own.known()}
	for _, m := range c.Messages {
		w.known = append(w.known, m.ID)
	}
	if c.End != nil && len(c.Frames) > 0 {
		w.holds = c.Frames[len(c.Frames)-1].ID
	}
	ld, err := s.load(ctx, l.Key, w)
	if err != nil {
		return nil, err
	}
	t := ld.thread
	switch {
	case !ld.exists():
		s.lost(l)
		return nil, state.ErrLeaseLost
	case t.Repeats(l, c) || ld.holds:
		return s.repeated(l, c, t), nil // only the commit that ends a run writes its last frame
	case !t.HeldBy(l) || t.Rev < own.revision(): // or the store went back behind a commit of this run
		s.lost(l)
		return nil, state.ErrLeaseLost
	case t.Last.Less(c.After):
		return nil, state.ErrGap
	}
	step, err := state.CommitStep(t, ld.facts, c, ld.now)
	if err := errors.Join(ld.facts.err, err); err != nil {
		return nil, err
	}
	status, after, err := s.write(ctx, ld, change{step: step, lease: l, after: c.After, ended: c.End != nil})
	if err != nil || status == conflict {
		return nil, err
	}
	if status == lost && !w.holds.IsZero() { // or it is done, its reply was lost, and another run has begun since
		again, err := s.load(ctx, l.Key, wish{holds: w.holds})
		if err != nil {
			return nil, err
		}
		if again.holds {
			return s.repeated(l, c, again.thread), nil
		}
	}
	if err := s.granted(l, reply{status}); err != nil {
		return nil, err
	}
	if c.End == nil {
		own.remember(after.loaded)
	} else {
		s.disown(l)
		s.retire(ctx, after.loaded, l.Fence)
	}
	s.show(slotOf(l.Key), after.born, step.Frames, after.before)
	return after.thread, nil
}

// repeated is the thread after a commit that was made before, whose reply was lost.
func (s *Store) repeated(l *state.Lease, c state.Commit, t *state.Thread) *state.Thread {
	if c.End != nil {
		s.disown(l)
	}
	return t
}

// Once records the result of an effect; see [state.Writer].
func (s *Store) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	a, err := leaseArgs(l)
	if err != nil {
		return err
	}
	a.add(memoField(key), []byte(result))
	r, err := s.run(ctx, onceScript, slotOf(l.Key), a)
	if err != nil {
		return err
	}
	if err := s.granted(l, r); err != nil {
		return err
	}
	s.owner(l).heed(r.list(1))
	return nil
}

// Renew makes the lease last; see [state.Writer].
func (s *Store) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	keep := (s.o.ThreadTTL + grace).Milliseconds()
	a, err := leaseArgs(l)
	if err != nil {
		return err
	}
	a.add(s.clock(), ttl.Microseconds(), keep)
	r, err := s.run(ctx, renewScript, slotOf(l.Key), a)
	if err != nil {
		return err
	}
	if err := s.granted(l, r); err != nil {
		return err
	}
	own := s.owner(l)
	own.renewed(ttl)
	own.heed(r.list(2))
	s.hintLive(ctx, l.Key, l.Fence, parseMoment(r.text(1)))
	return nil
}

// Release gives the run up; see [state.Writer].
func (s *Store) Release(ctx context.Context, l *state.Lease) error {
	a, err := leaseArgs(l)
	if err != nil {
		return err
	}
	a.add(s.clock(), "")
	r, err := s.run(ctx, releaseScript, slotOf(l.Key), a)
	if err != nil {
		return err
	}
	if err := s.granted(l, r); err != nil {
		return err
	}
	s.disown(l)
	s.hintLive(ctx, l.Key, l.Fence, parseMoment(r.text(1)))
	return nil
}
