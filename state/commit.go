package state

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

// A Commit is what a run has to keep at a turn boundary, or at its end. It is written in one transition, guarded
// by the attempt's fence.
type Commit struct {
	// Number counts the commits of an attempt, from 1: one that has the number of the newest is that one, made again
	// because its answer was lost. Without a count, with 0, it is known by its last frame.
	Number int
	// State is the shared state; nil leaves it as committed before.
	State json.RawMessage
	// Initial names members that the state was found to have, so that the next run need not look; empty says nothing.
	Initial string
	// Messages are new ones, or new versions of known ones, in order.
	Messages []agui.Message
	// Checkpoint is the checkpoint of the run; nil keeps none.
	Checkpoint json.RawMessage
	// Notes are what agents keep of the thread between its runs, JSON of a bounded size; nil leaves what there is. What
	// they say can be made again, so they may get lost.
	Notes json.RawMessage
	// KeepCheckpoint leaves checkpoint, questions and calls as they were: the turn is given up.
	KeepCheckpoint bool
	// Answers are what the run's claims turned out to be, where admission could not know: each takes the place of the
	// claim of its id. See [Intent.Typed].
	Answers []Answer
	// Tokens are the questions of the checkpoint, and Calls its frontend calls.
	Tokens []Token
	Calls  []Call
	// Frames join the log with the commit: unappended ones, and a terminal frame. A Rev of [ThisRev]
	// becomes the revision that the commit makes.
	Frames []Frame
	// After is the last frame of this fence that was appended before, as for Append; zero: none.
	After FrameID
	// Trace is the traceparent of the attempt, by which later ones, and later runs, are linked with it; empty leaves
	// what there is.
	Trace string
	// Patched is what became of patches that waited: State has those that were applied.
	Patched []PatchResult
	// End ends the run and gives the lease back; nil continues it.
	End *End
}

// ThisRev in a frame of a commit means the revision of the thread after the commit.
const ThisRev = -1

// An End is how a run ended.
type End struct {
	Status RunStatus
	Code   errcode.Code
	// Text is the message of an error for clients; empty: the code's own sentence.
	Text string
	// Reopen opens the claimed tokens again: the answers' own turn failed. Effects are what it had recorded till then:
	// the same answers, given again, find them.
	Reopen  bool
	Effects map[string]json.RawMessage
	Usage   []agui.TokenUsage
	// Cost is the known part of its cost; nil if unknown.
	Cost *float64
	// Undo leads from the state as the run leaves it back to the one it started from. Nil: if there is a difference,
	// both are compared, which costs what they take and not what changed.
	Undo agui.Patch
}

// PlanCommit is the transition of a commit on t, after the caller has checked its live attempt against the lease.
func PlanCommit(t *Thread, f Facts, c Commit, now time.Time) (*Transition, error) {
	s := newTransition(t, now)
	n := s.Thread
	live := *t.Live
	live.Number = c.Number
	n.Live = &live
	s.Frames = slices.Clone(c.Frames)
	for i := range s.Frames {
		if s.Frames[i].Rev == ThisRev {
			s.Frames[i].Rev = n.Rev
		}
	}
	if len(c.Frames) > 0 {
		n.Last = c.Frames[len(c.Frames)-1].ID
		live.Committed = n.Last
	}
	if c.State != nil {
		s.setState(c.State)
	}
	if c.Initial != "" {
		n.Initial = c.Initial
	}
	if c.Notes != nil {
		n.Notes = c.Notes
	}
	n.settled(tagged(c.Patched, n.StateTag()))
	added := s.keep(f, live.Intent.Origin, c.Messages)
	if s.err != nil {
		return nil, s.err
	}
	live.Intent.Claims = replaced(live.Intent.Claims, c.Answers)
	s.remember(live.Intent.Claims, c)
	s.settle(f, &live, c)
	live.Memo, live.Intent.Effects = nil, nil
	if !c.KeepCheckpoint {
		n.Checkpoint = c.Checkpoint
		n.Calls = c.Calls
		n.Open = nil
		for _, token := range c.Tokens {
			n.Open = append(n.Open, token.Interrupt.ID)
			s.ask(token)
		}
	}
	run := *n.Run
	n.Run = &run
	run.Committed = run.Committed || len(c.Messages) > 0 || c.State != nil || c.Checkpoint != nil
	if added {
		run.LastMessage = n.LastMessage
	}
	if c.Trace != "" {
		run.Trace, live.Intent.Trace = c.Trace, c.Trace
	}
	if c.End == nil {
		return s, nil
	}
	return s, s.end(f, &live, c.End, now)
}

// tagged are the results of patches that are part of the state with a tag.
func tagged(results []PatchResult, tag string) []PatchResult {
	results = slices.Clone(results)
	for i := range results {
		if results[i].Status == PatchApplied {
			results[i].Tag = tag
		}
	}
	return results
}

// keep appends new messages and gives known ones their new version without counting them twice. It reports
// whether anything was new.
func (s *Transition) keep(f Facts, run uint64, messages []agui.Message) (added bool) {
	for _, m := range distinct(messages) {
		if place, ok := f.Known(m.ID); ok && !place.Left {
			s.renew(m, place)
			continue
		}
		s.add(run, m)
		added = true
	}
	return added
}

// distinct returns messages with each id once: the newest version at the place of the first.
func distinct(messages []agui.Message) []agui.Message {
	at := make(map[string]int, len(messages))
	list := make([]agui.Message, 0, len(messages))
	for _, m := range messages {
		if i, ok := at[m.ID]; ok {
			list[i] = m
			continue
		}
		at[m.ID] = len(list)
		list = append(list, m)
	}
	return list
}

// renew gives a message a new version.
func (s *Transition) renew(m agui.Message, place Place) {
	stored, err := NewStoredMessage(m)
	if err != nil {
		s.err = err
		return
	}
	stored.Slot, stored.Added, stored.Run = place.Slot, s.Thread.Rev, place.Run
	s.Append = append(s.Append, stored)
	s.Thread.Size += len(stored.Raw) - place.Size
}

// replaced is claims with answers in the place of those of their ids.
func replaced(claims, answers []Answer) []Answer {
	if len(answers) == 0 {
		return claims
	}
	claims = slices.Clone(claims)
	for i := range claims {
		for _, a := range answers {
			if a.ID == claims[i].ID {
				claims[i] = a
			}
		}
	}
	return claims
}

// settle closes the tokens that this run claimed with its first commit, or opens them again.
func (s *Transition) settle(f Facts, live *Live, c Commit) {
	status := TokenUsed
	if c.End != nil && c.End.Reopen {
		status = TokenOpen
	}
	for _, claim := range live.Intent.Claims {
		token, ok := f.Token(claim.ID)
		if !ok || token.Status != TokenClaimed {
			continue
		}
		token.Status, token.Answer = status, &claim
		if status == TokenOpen {
			token.Answer, token.AnsweredAt = nil, time.Time{}
			s.unanswered(claim.ID)
		} else if !s.isAnswered(claim.ID) {
			s.retire(claim.ID)
		}
		s.Tokens = append(s.Tokens, token)
	}
	live.Intent.Claims = nil
}

// end ends the run. The state that it started from becomes part of the past.
func (s *Transition) end(f Facts, live *Live, e *End, now time.Time) error {
	n := s.Thread
	n.Run.Status, n.Run.Code, n.Run.Text, n.Run.EndedAt = e.Status, e.Code, e.Text, now
	n.Failed = e.Status == RunError
	n.Usage, n.Cost, n.Run.Cost = AddUsage(n.Usage, e.Usage), AddCost(n.Cost, e.Cost), e.Cost
	n.Live = nil
	s.show()
	s.Mark = &document.Mark{Name: startMark(live.Intent.Origin), Undo: e.Undo}
	if n.StateRev == live.StartRev || e.Undo != nil {
		return nil
	}
	ended := s.State
	if ended == nil {
		ended = f.State(n.StateRev)
	}
	undo, err := document.Diff(object(ended), object(f.State(live.StartRev)))
	s.Mark.Undo = undo
	return err
}

// maxCount is the largest count the protocol can tell: the integers of JavaScript end there.
const maxCount = 1<<53 - 1

// maxModels is how many models have a separate sum. Remote agents name theirs as they like.
const maxModels = 100

// AddUsage sums usage per provider and model; a count unknown on one side is the other's. A sum stops at what clients
// can read. The first 100 models have separate sums, all others one without a name.
func AddUsage(total, more []agui.TokenUsage) []agui.TokenUsage {
	total = slices.Clone(total)
	for _, u := range more {
		same := func(x agui.TokenUsage) bool { return x.Provider == u.Provider && x.Model == u.Model }
		i := slices.IndexFunc(total, same)
		if i < 0 && len(total) >= maxModels {
			u.Provider, u.Model = "", ""
			i = slices.IndexFunc(total, same)
		}
		if i < 0 {
			total = append(total, u)
			continue
		}
		x := &total[i]
		for _, f := range []struct{ to, from **int64 }{
			{&x.InputTokens, &u.InputTokens}, {&x.OutputTokens, &u.OutputTokens}, {&x.TotalTokens, &u.TotalTokens},
			{&x.ReasoningTokens, &u.ReasoningTokens}, {&x.CachedInputTokens, &u.CachedInputTokens},
			{&x.CacheWriteInputTokens, &u.CacheWriteInputTokens},
		} {
			if *f.from == nil {
				continue
			}
			sum := **f.from
			if *f.to != nil {
				sum += **f.to
			}
			sum = min(sum, maxCount)
			*f.to = &sum
		}
	}
	return total
}

// AddCost returns the sum of the known ones of two costs, in any currency; nil if neither is known.
func AddCost(total, more *float64) *float64 {
	switch {
	case total == nil:
		return more
	case more == nil:
		return total
	}
	const places = 1e12 // behind which is only what binary fractions add
	sum := math.Round((*total+*more)*places) / places
	return &sum
}
