package redisstore

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// births is how often a new thread triggers a sweep of its principal's oldest threads, on average.
const births = 32

// seal is the number of a marker after all frames of a fence. Readers do not get it.
const seal = ^uint64(0)

// Write applies a transition in one script, if the thread is unchanged since it was read; see [store.Backend].
func (s *backend) Write(ctx context.Context, w *store.Write) (store.Written, error) {
	t := w.Transition.Thread
	if w.Lease == nil { // the hints come first: a run must be found even if its owner dies at once
		if err := s.announce(ctx, t, w.Begins); err != nil {
			return store.Written{}, err
		}
	}
	fields, err := encode(t)
	if err != nil {
		return store.Written{}, err
	}
	a := s.transitionArgs(w, fields)
	var log []part // they may have expired, and only some transitions use them
	if transition := w.Transition; !w.Base.Exists() || w.Begins || w.Ends ||
		len(transition.Frames) > 0 || transition.State != nil || len(transition.Left)+len(transition.Append) > 0 {
		log = logParts
	}
	r, err := s.batch(ctx, transitionScript, hashTagOf(t.Key), a, a.size(), log...)
	if err == nil {
		err = s.grants(ctx, t.Key, r.text(0))
	}
	if err != nil {
		return store.Written{}, err
	}
	if w.Ends && w.Lease != nil {
		s.retire(ctx, w)
	}
	s.countWrite(ctx, t.Key)
	if !w.Base.Exists() && w.Begins && rand.IntN(births) == 0 {
		s.sweepIndex(ctx, t.Key.Principal)
	}
	written := store.Written{Private: stored{fields: fields}}
	if written.Last, err = frameID(r.text(1)); err != nil {
		return store.Written{}, err
	}
	if written.Before, err = frameID(r.text(2)); err != nil {
		return written, err
	}
	s.packWritten(w, written.Last)
	return written, nil
}

// frameID reads the id of a frame; an empty text is the place before every frame.
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

// transitionArgs returns the arguments of transition.lua, in its order.
func (s *backend) transitionArgs(w *store.Write, fields map[string]string) args {
	before, t := w.Base.Thread, w.Transition.Thread
	var a args
	a.add(s.clock(), s.o.LogTTL.Microseconds(), w.Base.Tag, w.Tag, s.name)
	if w.Lease == nil {
		a.add("", "", "")
	} else {
		a.add(w.Lease.Attempt, strconv.FormatUint(w.Lease.Fence, 10), idText(w.After))
	}
	if w.Takes {
		a.add(len(before.Live.Memo))
	} else {
		a.add("")
	}
	if w.Begins {
		a.add(strconv.FormatUint(t.Fence, 10))
	} else {
		a.add("")
	}
	s.queueArgs(&a, w)
	if w.Takes {
		a.add(string(state.SignalLost), state.FrameID{Fence: before.Live.Fence, Seq: seal}.String())
	} else {
		a.add("", "")
	}
	a.add(w.Born)
	s.fieldArgs(&a, w, fields)
	pastArgs(&a, before, w.Transition)
	messageArgs(&a, w.Transition)
	a.add(len(w.Transition.Tokens))
	for _, token := range w.Transition.Tokens {
		a.add(token.Interrupt.ID)
		a.json(token)
	}
	a.list(w.Transition.Evicted)
	a.flag(w.Lease != nil) // a commit removes the recorded results
	a.frames(w.Transition.Frames)
	a.flag(w.Ends)
	a.add((s.keepFor(w) + grace).Milliseconds(), (s.o.LogTTL + time.Hour).Milliseconds())
	return a
}

// pastArgs adds the additions to the past.
func pastArgs(a *args, before *state.Thread, transition *state.Transition) {
	a.add(transition.Thread.Rev, before.Shown, state.MaxReplaced)
	if transition.State == nil {
		a.add("")
	} else {
		a.add("1", []byte(transition.State), before.StateRev)
	}
	marks := transition.Past
	if transition.Mark != nil {
		marks = append(marks, *transition.Mark)
	}
	a.add(document.MaxMarks, document.MaxPast, len(marks))
	for _, mark := range marks {
		a.json(mark)
	}
	if transition.Ended == nil {
		a.add("")
		return
	}
	a.json(transition.Ended)
	a.add(state.MaxRuns - 1)
}

// queueArgs adds the queue before a transition that begins a run, and after one that removes a ticket. A dash is
// any queue.
func (s *backend) queueArgs(a *args, w *store.Write) {
	old, queue := storedOf(w.Base).queue, w.Transition.Thread.Queue
	if w.Transition.Ticket == "" || len(queue) == len(w.Base.Thread.Queue) {
		if !w.Begins {
			old = "-"
		}
		a.add(old, "-")
		return
	}
	text, err := s.queueText(queue, old, "")
	if a.add(old, text); err != nil {
		a.add(err)
	}
}

// messageArgs adds the messages that leave the conversation and those that join it.
func messageArgs(a *args, transition *state.Transition) {
	a.list(transition.Left)
	a.add(len(transition.Append))
	for _, m := range transition.Append {
		text, err := messageText(&m)
		if a.add(m.ID, placeText(&m), m.Slot, text); err != nil {
			a.add(err)
		}
	}
}

// fieldArgs adds the changed fields of the thread.
func (s *backend) fieldArgs(a *args, w *store.Write, fields map[string]string) {
	t, before, known := w.Transition.Thread, w.Base.Thread.Live, storedOf(w.Base).fields
	set := args{
		"fence", strconv.FormatUint(t.Fence, 10), "deadline", momentOrNone(w.Deadline),
		"asks", momentOrNone(w.AsksUntil), "born", w.Born,
	}
	var gone args
	for _, field := range documentFields {
		switch value := fields[field]; value {
		case known[field]:
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

// momentOrNone is moment; empty for the zero time.
func momentOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return moment(t)
}

// grace is how much longer keys are kept than their data lives by the store's clock: that clock decides, and the
// expiry of Redis only cleans up.
const grace = 24 * time.Hour

// keepFor returns how long the thread is kept without another use. It is finite for a live one too, because its
// owner renews it.
func (s *backend) keepFor(w *store.Write) time.Duration {
	if w.Deadline.IsZero() {
		return s.o.ThreadTTL
	}
	return min(max(w.Deadline.Sub(w.Base.Now), 0), 2*state.MaxTTL)
}
