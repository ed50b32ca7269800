package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// errBusy is returned when a thread changed under every attempt to write it.
var errBusy = errors.New("redisstore: too many writers at one thread")

// tries is how often a step is computed anew because somebody else was faster.
const tries = 100

// again waits a little before the next try.
func again(ctx context.Context, try int) error {
	if try+1 == tries {
		return errBusy
	}
	if try == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(time.Duration(min(try, 20)) * time.Millisecond)):
		return nil
	}
}

// Begin judges a request and makes the verdict come true; see [state.Admitter].
func (s *Store) Begin(ctx context.Context, q *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	w := wish{}
	for _, m := range q.Messages {
		w.known = append(w.known, m.ID)
	}
	for _, a := range q.Answers {
		w.tokens = append(w.tokens, a.ID)
	}
	for try := range tries {
		begun, err := s.begin(ctx, q, o, w)
		if begun != nil || err != nil {
			return begun, err
		}
		if err := again(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// begin is one try; it returns nothing if somebody else wrote the thread meanwhile.
func (s *Store) begin(ctx context.Context, q *state.Request, o state.LeaseOptions, w wish) (*state.Begun, error) {
	l, err := s.load(ctx, q.Key, w)
	if err != nil {
		return nil, err
	}
	if settled, err := s.settle(ctx, l); settled || err != nil {
		return nil, err
	}
	v, step, err := state.Plan(l.thread, l.facts, q, claim(l, o), l.now)
	if err := errors.Join(l.facts.err, err); err != nil {
		return nil, err
	}
	if v.Meaning == state.Queued {
		if ok, err := s.enqueue(ctx, l, q.Wait); !ok {
			return nil, err
		}
	}
	if step == nil {
		s.repairLive(ctx, l)
		return s.begun(l, v, o), nil
	}
	runs := v.Meaning.Runs()
	// The hints come first: a run whose owner dies at once must be found.
	if err := s.announce(ctx, step.Thread); err != nil {
		return nil, err
	}
	status, after, err := s.write(ctx, l, change{step: step, fresh: runs})
	if err != nil || status != didIt {
		return nil, err
	}
	if !l.exists() && rand.IntN(births) == 0 {
		s.sweepIndex(ctx, q.Key.Principal)
	}
	return s.begun(after.loaded, v, o), nil
}

// births is how many new threads come on one look at the oldest ones of their principal.
const births = 32

// claim is what an attempt asks for, with its fence.
func claim(l *loaded, o state.LeaseOptions) state.Claim {
	return state.Claim{Attempt: o.Attempt, TTL: o.TTL, Fence: max(state.NextFence(l.thread, l.now), l.floor+1)}
}

// begun is what a request or a take came to. The lease is that of the live attempt: a new one if something was
// written, or the one it has.
func (s *Store) begun(l *loaded, v state.Verdict, o state.LeaseOptions) *state.Begun {
	b := &state.Begun{
		Verdict: v, Thread: l.thread, Known: l.exists(), Interrupts: state.OpenInterrupts(l.thread, l.facts, l.now),
		Now: l.now,
	}
	if v.Meaning.Runs() {
		b.Lease = s.own(l, o.TTL)
	}
	return b
}

// Take gives an overdue run to a new attempt; see [state.Admitter].
func (s *Store) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	for try := range tries {
		begun, err := s.take(ctx, key, o)
		if begun != nil || err != nil {
			return begun, err
		}
		if err := again(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

func (s *Store) take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	l, err := s.load(ctx, key, wish{})
	if err != nil {
		return nil, err
	}
	t := l.thread
	if t.Live != nil && o.Attempt != "" && t.Live.Attempt == o.Attempt { // its answer was lost
		return s.begun(l, taken(t), o), nil
	}
	if !t.Overdue(l.now.Add(-o.Overdue)) {
		return nil, state.ErrLeaseLost
	}
	step := state.TakeStep(t, claim(l, o), l.now)
	if err := s.announce(ctx, step.Thread); err != nil {
		return nil, err
	}
	status, after, err := s.write(ctx, l, change{step: step, take: true, fresh: true})
	switch {
	case err != nil || status == conflict:
		return nil, err
	case status != didIt:
		return nil, state.ErrLeaseLost
	}
	return s.begun(after.loaded, taken(after.thread), o), nil
}

// taken is the verdict that the run of t began with.
func taken(t *state.Thread) state.Verdict {
	i := t.Live.Intent
	return state.Verdict{Meaning: i.Meaning, Row: i.Row, Claims: i.Claims}
}

// Signal tells the live attempt something, through the subscription of the replica it runs on; see [state.Admitter].
func (s *Store) Signal(ctx context.Context, key state.Key, run uint64, word state.Signal) (bool, error) {
	r, err := s.run(ctx, signalScript, slotOf(key), args{s.clock(), strconv.FormatUint(run, 10), string(word)})
	if err != nil {
		return false, err
	}
	if r.text(0) == "unknown" {
		return false, state.ErrUnknownThread
	}
	return r.text(0) == "live", nil
}

// NoteReader notes that the live run has a reader; see [state.Admitter].
func (s *Store) NoteReader(ctx context.Context, key state.Key, d time.Duration) (time.Duration, bool, error) {
	r, err := s.run(ctx, readerScript, slotOf(key), args{s.clock(), d.Microseconds()})
	switch {
	case err != nil:
		return 0, false, err
	case r.text(0) == "unknown":
		return 0, false, state.ErrUnknownThread
	}
	return parseMoment(r.text(2)).Sub(parseMoment(r.text(1))), r.text(0) == "live", nil
}
