package redisstore

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A change is a step with what must still be true when it is written.
type change struct {
	step  *state.Step
	lease *state.Lease  // the writer's; nil for a step that needs none
	after state.FrameID // what the writer knows of the log
	take  bool          // the run it goes on with must still be overdue
	fresh bool          // it begins an attempt, with the thread's fence
	ended bool          // the run ends with it
}

// logs reports whether the change touches the log or what goes with it, which may have expired and are none of the
// others' business.
func (c change) logs() bool {
	return c.fresh || c.ended || len(c.step.Frames) > 0 || c.step.State != nil || len(c.step.Left)+len(c.step.Append) > 0
}

// A written is what came of a change: the thread after it, and the log before.
type written struct {
	*loaded
	before state.FrameID
}

// birth names a thread that is made with a fence, apart from all that have, had or will have its name.
func birth(fence uint64) string { return strconv.FormatUint(fence, 10) + "." + rand.Text() }

// older reports whether a place in a log is in that of a thread that was there before the one born so: fences grow over
// a deletion, and over the loss of all data.
func older(at state.FrameID, born string) bool {
	first, _, _ := strings.Cut(born, ".")
	fence, err := strconv.ParseUint(first, 10, 64)
	return err == nil && !at.IsZero() && at.Fence < fence
}

// seal is the number of a marker behind everything a fence can write. Nobody is sent it.
const seal = ^uint64(0)

// write makes a change come true in one script, if the thread is what it was when it was loaded. The answer says
// whether it was: didIt, conflict, lost or gap; what was to be written is returned in any case.
func (s *Store) write(ctx context.Context, l *loaded, c change) (string, *written, error) {
	fields, err := encode(c.step.Thread)
	if err != nil {
		return "", nil, err
	}
	next := &loaded{now: l.now, tag: rand.Text(), born: l.born, fields: fields, facts: l.facts.with(c.step.Tokens)}
	if !l.exists() {
		next.born = birth(c.step.Thread.Fence)
	}
	next.facts.none = false
	t := *c.step.Thread
	next.thread = &t
	a, err := s.stepArgs(l, next, c)
	if err != nil {
		return "", nil, err
	}
	var log []part
	if !l.exists() || c.logs() {
		log = logParts
	}
	r, err := s.run(ctx, stepScript, slotOf(t.Key), a, log...)
	w := &written{loaded: next}
	if err != nil || r.text(0) != didIt {
		return r.text(0), w, err
	}
	if t.Last, err = frameID(r.text(1)); err != nil {
		return "", nil, err
	}
	w.before, err = frameID(r.text(2))
	return didIt, w, err
}

// frameID reads the id of a frame; empty text is the place before every one.
func frameID(text string) (state.FrameID, error) {
	if text == "" {
		return state.FrameID{}, nil
	}
	return state.ParseFrameID(text)
}

func idText(id state.FrameID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// stepArgs are the arguments of step.lua, in its order.
func (s *Store) stepArgs(l, next *loaded, c change) (args, error) {
	t := next.thread
	var a args
	a.add(s.clock(), s.o.LogTTL.Microseconds(), l.tag, next.tag)
	if c.lease == nil {
		a.add("", "", "")
	} else {
		a.add(c.lease.Attempt, strconv.FormatUint(c.lease.Fence, 10), idText(c.after))
	}
	if c.take {
		a.add(len(l.thread.Live.Memo))
	} else {
		a.add("")
	}
	if c.fresh {
		a.add(strconv.FormatUint(t.Fence, 10))
	} else {
		a.add("")
	}
	if err := s.queueArgs(&a, l, next, c.step.Ticket); err != nil {
		return nil, err
	}
	if c.take {
		a.add(string(state.SignalLost), state.FrameID{Fence: l.thread.Live.Fence, Seq: seal}.String())
	} else {
		a.add("", "")
	}
	a.add(next.born)
	s.fieldArgs(&a, l, next)
	if err := pastArgs(&a, l, c.step); err != nil {
		return nil, err
	}
	if err := messageArgs(&a, c.step); err != nil {
		return nil, err
	}
	a.add(len(c.step.Tokens))
	for _, token := range c.step.Tokens {
		raw, err := marshal(token)
		if err != nil {
			return nil, err
		}
		a.add(token.Interrupt.ID, raw)
	}
	a.flag(c.lease != nil) // a commit lets go of what was recorded for it
	if err := a.frames(c.step.Frames); err != nil {
		return nil, err
	}
	a.flag(c.ended)
	a.add((s.keepFor(next) + grace).Milliseconds(), (s.o.LogTTL + time.Hour).Milliseconds())
	return a, nil
}

// pastArgs are what becomes part of the past.
func pastArgs(a *args, l *loaded, step *state.Step) error {
	before := l.thread
	a.add(step.Thread.Rev, before.Shown, state.MaxReplaced)
	if step.State == nil {
		a.add("")
	} else {
		a.add("1", []byte(step.State), before.StateRev)
	}
	marks := step.Past
	if step.Mark != nil {
		marks = append(marks, *step.Mark)
	}
	a.add(state.MaxMarks, state.MaxPast, len(marks))
	for _, mark := range marks {
		raw, err := marshal(mark)
		if err != nil {
			return err
		}
		a.add(raw)
	}
	if step.Ended == nil {
		a.add("")
		return nil
	}
	raw, err := marshal(step.Ended)
	a.add(raw, state.MaxRuns-1)
	return err
}

// queueArgs are who waits for the thread, before and after a step that lets go of a place.
func (s *Store) queueArgs(a *args, l, next *loaded, ticket string) error {
	if ticket == "" || len(next.thread.Queue) == len(l.thread.Queue) {
		a.add("", "")
		return nil
	}
	text, err := s.queueText(next.thread.Queue, l.queue, "")
	a.add(l.queue, text)
	return err
}

// messageArgs are the messages that leave the conversation and those that join it.
func messageArgs(a *args, step *state.Step) error {
	a.list(step.Left)
	a.add(len(step.Append))
	for _, m := range step.Append {
		text, err := messageText(&m)
		if err != nil {
			return err
		}
		a.add(m.ID, placeText(&m), m.Slot, text)
	}
	return nil
}

// fieldArgs are the fields of the thread that change.
func (s *Store) fieldArgs(a *args, l, next *loaded) {
	t, before := next.thread, l.thread.Live
	set := args{"fence", strconv.FormatUint(t.Fence, 10), "deadline", s.deadline(next), "asks", asks(next), "born", next.born}
	var gone args
	for _, field := range documentFields {
		switch value := next.fields[field]; value {
		case l.fields[field]:
		case "":
			gone.add(field)
		default:
			set.add(field, value)
		}
	}
	switch {
	case t.Live == nil && before != nil:
		for _, field := range liveFields {
			gone.add(field)
		}
	case t.Live != nil && (before == nil || before.Attempt != t.Live.Attempt):
		set.add("attempt", t.Live.Attempt, "until", moment(t.Live.Until), "owner", s.channel,
			"origin", strconv.FormatUint(t.Live.Intent.Origin, 10))
		for field, is := range map[string]bool{"tied": t.Live.Tied, "hungup": t.Live.HungUp} {
			set.add(field)
			set.flag(is)
		}
	}
	a.add(len(set) / 2)
	a.add(set...)
	a.add(len(gone))
	a.add(gone...)
}

// deadline is when the thread may be forgotten; empty while it is live.
func (s *Store) deadline(l *loaded) string {
	if at := state.Deadline(l.thread, l.facts, s.o.ThreadTTL); !at.IsZero() {
		return moment(at)
	}
	return ""
}

// never is a moment that does not come.
const never = "99999999999999999999"

// asks is until when the thread has an open question, for listings; empty if it has none.
func asks(l *loaded) string {
	var until string
	for _, id := range l.thread.Open {
		token, ok := l.facts.Token(id)
		switch {
		case !ok || token.Status != state.TokenOpen:
		case token.ExpiresAt.IsZero():
			return never
		default:
			until = max(until, moment(token.ExpiresAt))
		}
	}
	return until
}

// grace is how much longer keys are kept than what is in them lives by the store's clock: that clock decides, and
// Redis' own expiry only cleans up.
const grace = 24 * time.Hour

// keepFor is how long the thread is kept if nobody comes back to it. It is finite for a live one too: its owner
// renews it.
func (s *Store) keepFor(l *loaded) time.Duration {
	if at := state.Deadline(l.thread, l.facts, s.o.ThreadTTL); !at.IsZero() {
		return max(at.Sub(l.now), 0)
	}
	return s.o.ThreadTTL
}
