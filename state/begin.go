package state

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

// A Claim on a thread's lease: its owner and its duration.
type Claim struct {
	Attempt string // unguessable
	TTL     time.Duration
	Fence   uint64 // max(previous + 1, the store's clock in ms), see [NextFence]
}

// NextFence returns the fence of a new attempt on t: unique over expiry, deletion, data loss and failover,
// because it never falls behind the clock.
func NextFence(t *Thread, now time.Time) uint64 {
	return max(t.Fence+1, uint64(max(now.UnixMilli(), 0)))
}

// Plan judges r with admit and returns the transition that makes the verdict come true, nil if nothing changes. It is
// what a store's Begin does; all that is left to the store is to write the transition if t is still what it was. The
// lease is c's. A Begin that is made again because its answer was lost gets the verdict it had.
func Plan(t *Thread, f Facts, r *Request, c Claim, now time.Time) (Verdict, *Transition, error) {
	if live := t.Live; live != nil && c.Attempt != "" && live.Attempt == c.Attempt {
		return Verdict{Meaning: live.Intent.Meaning, Row: live.Intent.Row, Claims: live.Intent.Claims}, nil, nil
	}
	v := admit(t, f, r, now)
	if r.NoRun && v.Meaning.Runs() {
		return Verdict{Meaning: Full, Row: v.Row}, nil, nil
	}
	if !v.Meaning.Runs() {
		if len(v.CallAnswers) == 0 {
			return v, nil, nil
		}
		s := planRecord(t, v, now)
		return v, s, s.err
	}
	s, err := planBegin(t, f, r, v, c, now)
	if errors.Is(err, document.ErrTooLarge) {
		return newAdmission(t, f, r, now).refuse(v.Row, errcode.TooLarge), nil, nil
	}
	if err == nil && len(s.notWritten) > 0 {
		v.Warnings = append(v.Warnings, "the caller may not write to the state at "+quoteIDs(s.notWritten))
	}
	return v, s, err
}

// planBegin is the transition that makes a verdict which runs come true: the conversation as the request leaves it,
// answers claimed, the client's state merged, the intent written, the lease taken. [document.ErrTooLarge]: the state
// has no room for the client's.
func planBegin(t *Thread, f Facts, r *Request, v Verdict, c Claim, now time.Time) (*Transition, error) {
	s := newTransition(t, now)
	s.encoded = r.encoded
	n := s.Thread
	intent := Intent{
		Origin: c.Fence, Attempts: 1, StartedAt: now, RunID: r.RunID, ParentRunID: r.ParentRunID, Hash: r.Hash,
		Meaning: v.Meaning, Row: v.Row, Resumed: v.Meaning == Resume, Claims: v.Claims,
		Cut: v.CutAfter != "" || v.CutAll,
		Era: r.Era, Tools: r.Tools, Context: r.Context, ForwardedProps: r.ForwardedProps, Hops: r.Hops, Chain: r.Chain,
		Caller: r.Caller, Trace: r.Trace,
	}
	if intent.Resumed {
		intent.Effects = t.Kept.For(v.Claims)
	}
	if t.Run != nil {
		intent.Earlier = t.Run.Trace
	}
	if intent.Cut {
		s.cutAfter(v.CutAfter, f)
	}
	s.cutAnswered(v)
	s.cutApprovals(v)
	after := n.LastMessage
	s.record(c.Fence, v.CallAnswers)
	newID := r.NewID
	if newID == nil {
		newID = rand.Text
	}
	s.notAnswered(c.Fence, v.NotAnswered, newID)
	s.add(c.Fence, v.Append...)
	intent.Added = len(s.Append) > 0
	if v.Forget {
		if v.Meaning != Repeat && !intent.Cut {
			s.expire(f, after)
		}
		s.forget(f)
	}
	intent.Questions = s.claim(f, v.Claims, after)
	if err := s.startState(t, f, r, v); err != nil {
		return nil, err
	}
	intent.Approximate = v.Restore != "" && f.Past().Approximate(v.Restore)
	before := t.Run
	run := Run{RunID: r.RunID, Number: 1, ParentRunID: r.ParentRunID, Origin: c.Fence, Hash: r.Hash, Status: RunRunning,
		StartedAt: now, Trace: r.Trace, After: n.LastMessage}
	if before != nil {
		run.Number = before.Number + 1
	}
	if len(s.Append) > 0 {
		run.LastMessage = n.LastMessage
	}
	s.Ended, n.Run = before, &run
	n.Fence = c.Fence
	n.Failed = false
	if r.Wait != nil {
		n.Queue, s.Ticket = Dequeue(n.Queue, r.Wait.Ticket), r.Wait.Ticket
	}
	n.Live = &Live{Attempt: c.Attempt, Fence: c.Fence, Until: now.Add(c.TTL), Tied: r.Tied, StartRev: n.StateRev,
		Intent: intent}
	s.show()
	return s, s.err
}

// claim marks the answered tokens of questions after a message, so that no other request can answer them, and returns
// their questions.
func (s *Transition) claim(f Facts, answers []Answer, after string) []agui.Interrupt {
	var questions []agui.Interrupt
	for _, a := range answers {
		if token, ok := f.Token(a.ID); ok {
			token.Status, token.Answer, token.AnsweredAt = TokenClaimed, &a, s.Thread.UpdatedAt
			s.answered(&token, after)
			s.Tokens = append(s.Tokens, token)
			questions = append(questions, token.Interrupt)
		}
	}
	return questions
}

// startState decides which state the run starts from: an earlier one for a turn that is regenerated, the
// thread's with the client's changes merged in otherwise. On a resume the client's is ignored. The one that the
// newest run ended with becomes part of the past.
func (s *Transition) startState(t *Thread, f Facts, r *Request, v Verdict) error {
	var undo agui.Patch
	var err error
	switch {
	case v.Meaning == Resume:
	case v.Restore != "":
		undo, err = s.restore(t, f, r, v.Restore)
	case len(r.State) > 0:
		undo, err = s.merge(t, f, r)
	}
	if err != nil {
		return err
	}
	s.Thread.EndMarked = false
	switch newest := t.Run; {
	case t.EndMarked && len(undo) == 0:
	case t.EndMarked:
		s.markPatched(t, undo)
	case newest != nil:
		s.Mark = &document.Mark{Name: endMark(newest.Origin), Undo: undo}
	case t.Rev > 0 && len(undo) > 0:
		s.Mark = &document.Mark{Name: forkMark, Undo: undo}
	}
	return nil
}

// restore sets the state back to the one that mark names, or to the oldest that is kept, with what the client has
// changed itself since, and what patches have since the newest run ended. It returns the way back.
func (s *Transition) restore(t *Thread, f Facts, r *Request, mark string) (agui.Patch, error) {
	past := f.Past()
	own, changes, err := s.clientState(t, f, r)
	if err != nil || len(changes) == 0 && !past.Changed(mark) {
		return nil, err
	}
	present := object(f.State(t.StateRev))
	restored, err := past.Oldest(present, mark)
	if err != nil {
		return nil, err
	}
	since := present
	if t.EndMarked {
		if since, err = past.Oldest(present, t.restMark()); err != nil {
			return nil, err
		}
	}
	if len(changes) == 0 {
		own = present
	}
	if len(changes) > 0 || t.EndMarked {
		doc, err := document.New(restored, document.Options{MaxSize: r.MaxState})
		if err != nil {
			return nil, err
		}
		if err := document.MergeClient(doc, since, own, document.MergeOptions{}); err != nil {
			return nil, err
		}
		restored = doc.JSON()
	}
	undo, err := document.Diff(restored, present)
	if len(undo) > 0 {
		s.setState(restored)
	}
	return undo, err
}

// merge brings the client's changes into the state, and returns the way back.
func (s *Transition) merge(t *Thread, f Facts, r *Request) (agui.Patch, error) {
	state, undo, err := s.clientState(t, f, r)
	if len(undo) > 0 {
		s.setState(state)
	}
	return undo, err
}

// clientState is the present state with the client's changes, and the way back; there is none if it changed nothing.
func (s *Transition) clientState(t *Thread, f Facts, r *Request) (state json.RawMessage, undo agui.Patch, err error) {
	present := f.State(t.StateRev)
	if len(r.State) == 0 || bytes.Equal(r.State, present) {
		return nil, nil, nil // most clients send back what they were sent
	}
	doc, err := document.New(present, document.Options{
		MaxSize: r.MaxState, OnChange: func(c document.Change) error { undo = c.Undo; return nil },
	})
	if err != nil {
		return nil, nil, err
	}
	base, err := mergeBase(t, f, r)
	if err != nil {
		return nil, nil, err
	}
	s.notWritten = nil
	o := document.MergeOptions{Writable: r.Writable, First: t.Rev == 0,
		Refused: func(pointer string) { s.notWritten = append(s.notWritten, pointer) }}
	if err := document.MergeClient(doc, base, r.State, o); err != nil {
		return nil, nil, err
	}
	return doc.JSON(), undo, nil
}

// mergeBase is the state the caller last saw: the end of the newest run with a last message that it has, or the
// start of the newest of which it has only earlier ones; {} where it has none.
func mergeBase(t *Thread, f Facts, r *Request) (json.RawMessage, error) {
	has := map[string]bool{}
	runs := map[uint64]bool{}
	for _, m := range r.Messages {
		if place, ok := f.Known(m.ID); ok {
			has[m.ID] = true
			runs[place.Run] = true
		}
	}
	present := object(f.State(t.StateRev))
	if newest := t.Run; newest != nil && runs[newest.Origin] {
		if has[newest.LastMessage] && t.EndMarked {
			return patchedBase(t, f, present, r.State)
		}
		if has[newest.LastMessage] {
			return present, nil
		}
		return f.Past().Oldest(present, startMark(newest.Origin))
	}
	if t.Run == nil && t.Rev > 0 && has[t.LastMessage] { // a fork that never ran
		if t.EndMarked {
			return patchedBase(t, f, present, r.State)
		}
		return present, nil
	}
	for _, run := range f.Runs() {
		switch {
		case !runs[run.Origin]:
		case has[run.LastMessage]:
			return f.Past().Oldest(present, endMark(run.Origin))
		default:
			return f.Past().Oldest(present, startMark(run.Origin))
		}
	}
	return json.RawMessage("{}"), nil
}

func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// planRecord is the transition of a request that runs nothing but brings answers to frontend calls while others
// are missing.
func planRecord(t *Thread, v Verdict, now time.Time) *Transition {
	s := newTransition(t, now)
	var run uint64
	if newest := t.Run; newest != nil {
		run = newest.Origin
	}
	s.record(run, v.CallAnswers)
	return s
}

// PlanTake is the transition by which another attempt continues a run of a dead owner: same run, new fence.
func PlanTake(t *Thread, c Claim, now time.Time) *Transition {
	s := newTransition(t, now)
	live := *t.Live
	live.Attempt, live.Fence, live.Until = c.Attempt, c.Fence, now.Add(c.TTL)
	live.Tied, live.HungUp = false, false // a takeover unties
	live.Memo = maps.Clone(live.Memo)
	live.Intent.Attempts++
	live.Number, live.Committed = 0, FrameID{}
	s.Thread.Live = &live
	s.Thread.Fence = c.Fence
	s.show()
	return s
}

// OpenInterrupts returns the questions that wait for an answer: open and not expired.
func OpenInterrupts(t *Thread, f Facts, now time.Time) []agui.Interrupt {
	var open []agui.Interrupt
	for _, id := range t.Open {
		if token, ok := f.Token(id); ok && token.Status == TokenOpen && !token.Expired(now) {
			open = append(open, token.Interrupt)
		}
	}
	return open
}

// StatusOf is the thread's status at now.
func StatusOf(t *Thread, f Facts, now time.Time) Status {
	switch {
	case t.Live != nil:
		return StatusRunning
	case len(OpenInterrupts(t, f, now)) > 0:
		return StatusInterrupted
	case t.Failed:
		return StatusFailed
	default:
		return StatusIdle
	}
}
