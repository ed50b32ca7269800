package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Begin judges a request and makes the verdict come true; see [state.Admitter].
func (s *store) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	var read ReadOptions
	for _, m := range r.Messages {
		read.Messages = append(read.Messages, m.ID)
	}
	for _, a := range r.Answers {
		read.Tokens = append(read.Tokens, a.ID)
	}
	return call(ctx, s, "begin", func(ctx context.Context) (*state.Begun, error) {
		return s.begin(ctx, r, o, read)
	})
}

// begin is one try.
func (s *store) begin(
	ctx context.Context, r *state.Request, o state.LeaseOptions, read ReadOptions,
) (*state.Begun, error) {
	base, err := s.backend.Read(ctx, r.Key, read)
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx, base); err != nil {
		return nil, err
	}
	v, transition, err := state.Plan(base.Thread, base.Facts, r, claim(base, o), base.Now)
	if err := errors.Join(base.Facts.Err(), err); err != nil {
		return nil, err
	}
	if v.Meaning == state.Queued {
		_, _, err := s.backend.UpdateQueue(ctx, r.Key,
			QueueUpdate{Op: QueueJoin, Ticket: r.Wait.Ticket, TTL: min(r.Wait.TTL, state.MaxTTL), Base: base})
		if errors.Is(err, state.ErrUnknownThread) {
			err = ErrConflict
		}
		if err != nil {
			return nil, err
		}
	}
	if transition == nil {
		if len(r.Answers) > 0 {
			err = s.replicated(ctx, base)
		}
		if err != nil {
			return nil, err
		}
		return s.begun(base, v, o), nil
	}
	if err := s.affords(ctx, r.Key.Principal, r.MaxStored, transition); err != nil {
		return nil, err
	}
	after, written, err := s.write(ctx, &Write{Base: base, Transition: transition, Begins: v.Meaning.Runs()})
	if err != nil {
		return nil, err
	}
	begun := s.begun(after, v, o)
	if v.Meaning.Runs() && len(transition.Frames) == 0 {
		s.expect(after, written.Last)
	}
	return begun, nil
}

// claim is what an attempt asks for, with its fence.
func claim(base *Record, o state.LeaseOptions) state.Claim {
	return state.Claim{Attempt: o.Attempt, TTL: min(o.TTL, state.MaxTTL),
		Fence: max(state.NextFence(base.Thread, base.Now), base.Floor+1)}
}

// begun is the result of a request or a take. The lease is that of the live attempt: a new one if something was
// written, or the one it has.
func (s *store) begun(r *Record, v state.Verdict, o state.LeaseOptions) *state.Begun {
	b := &state.Begun{
		Verdict: v, Thread: r.Thread, Exists: r.Exists(), Interrupts: state.OpenInterrupts(r.Thread, r.Facts, r.Now),
		Now: r.Now,
	}
	if v.Meaning.Runs() {
		b.Lease = s.own(r, o.TTL)
	}
	return b
}

// Take gives an overdue run to a new attempt; see [state.Admitter].
func (s *store) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	return call(ctx, s, "take", func(ctx context.Context) (*state.Begun, error) {
		return s.take(ctx, key, o)
	})
}

// take is one try.
func (s *store) take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	base, err := s.backend.Read(ctx, key, ReadOptions{Take: true})
	if err != nil {
		return nil, err
	}
	t := base.Thread
	if t.Live != nil && o.Attempt != "" && t.Live.Attempt == o.Attempt { // its answer was lost
		return s.begun(base, verdictOf(t), o), nil
	}
	if !t.Overdue(base.Now.Add(-o.Overdue)) {
		return nil, state.ErrLeaseLost
	}
	transition := state.PlanTake(t, claim(base, o), base.Now)
	after, _, err := s.write(ctx, &Write{Base: base, Transition: transition, Begins: true, Takes: true})
	if err != nil {
		return nil, err
	}
	s.notify(Event{Kind: EventSignal, Thread: key.Digest(), Fence: t.Live.Fence, Signal: state.SignalLost})
	return s.begun(after, verdictOf(after.Thread), o), nil
}

// verdictOf is the verdict that the live run of t began with.
func verdictOf(t *state.Thread) state.Verdict {
	i := t.Live.Intent
	return state.Verdict{Meaning: i.Meaning, Row: i.Row, Claims: i.Claims}
}

// Overdue returns threads with a run without an owner; see [state.Admitter].
func (s *store) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	return call(ctx, s, "overdue", func(ctx context.Context) ([]state.Key, error) {
		s.disownStale()
		return s.backend.Overdue(ctx, limit)
	})
}

// Signal tells the live attempt something; see [state.Admitter].
func (s *store) Signal(ctx context.Context, key state.Key, run uint64, signal state.Signal) (bool, error) {
	return call(ctx, s, "signal", func(ctx context.Context) (bool, error) {
		a, err := s.backend.UpdateAttempt(ctx, key, AttemptUpdate{Op: AttemptSignal, Run: run, Signal: signal})
		if err == nil && a.Live {
			s.notify(Event{Kind: EventSignal, Thread: key.Digest(), Fence: a.Fence, Signal: signal})
		}
		return a.Live, err
	})
}

// NoteReader notes that the live run has a reader; see [state.Admitter].
func (s *store) NoteReader(ctx context.Context, key state.Key, d time.Duration) (time.Duration, bool, error) {
	a, err := call(ctx, s, "note_reader", func(ctx context.Context) (Attempt, error) {
		return s.backend.UpdateAttempt(ctx, key, AttemptUpdate{Op: AttemptReader, TTL: min(d, state.MaxTTL)})
	})
	return a.ReadLeft, a.Live, err
}

// older reports whether a place in a log is in that of a thread that was there before the one born so: fences grow over
// a deletion, and over the loss of all data.
func older(at state.FrameID, born string) bool {
	first, _, _ := strings.Cut(born, ".")
	fence, err := strconv.ParseUint(first, 10, 64)
	return err == nil && !at.IsZero() && at.Fence < fence
}
