package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// join makes the client a reader of the live run of t: it sends a prelude, which is a valid stream, and then the
// following frames of the log. It unties the run from the connection that it was posted on (R4).
func (r *reader) join(t *state.Thread, extra ...agui.Event) error {
	if err := r.g.enterReader(r.key); err != nil {
		return err
	}
	defer r.g.leaveReader(r.key)
	r.untie(t)
	r.noteResumed(t)
	if err := r.open(); err != nil {
		return err
	}
	after, idle, err := r.prelude(t, extra)
	if err != nil || idle {
		return err
	}
	return r.tail(tailOptions{after: after, live: true})
}

// untie records that the live run of t has a reader other than the connection it was posted on.
func (r *reader) untie(t *state.Thread) {
	if err := r.g.noteReader(r.req.Context(), r.key); err != nil {
		r.g.log(r.req).Warn("run: its reader is not noted", "error", err)
	}
	if _, err := r.g.store.Signal(r.req.Context(), r.key, t.Live.Intent.Origin, state.SignalUntie); err != nil &&
		!errors.Is(err, state.ErrUnknownThread) {
		r.g.log(r.req).Warn("run: not untied", "error", err)
	}
}

// prelude sends a prelude of the live run of t, followed by extra; without such a run it shows the current thread. It
// returns the last frame of the log that the reader has seen, and whether the thread was idle then.
func (r *reader) prelude(t *state.Thread, extra []agui.Event) (after state.FrameID, idle bool, err error) {
	for {
		if t.Live == nil {
			now, err := r.snapshot()
			if err != nil {
				return after, false, err
			}
			if now.Thread.Live == nil {
				return now.Thread.Last, true, r.showThread(threadView{Snapshot: now, extra: extra})
			}
			t = now.Thread
			r.untie(t)
		}
		frames, err := r.framesSoFar(t)
		if err != nil && !errors.Is(err, state.ErrTrimmed) { // only ended runs are trimmed
			return after, false, err
		}
		if err == nil {
			if last := frames[len(frames)-1]; !frame.Terminal(last) {
				err := r.sendPrelude(frames, extra)
				if !errors.Is(err, state.ErrRevision) { // this run has ended and was trimmed as well
					return last.ID, false, err
				}
			}
		}
		now, _, err := r.g.store.Load(r.req.Context(), r.key)
		if err != nil {
			return after, false, route.StoreError(err)
		}
		if t = now; t.Live != nil {
			r.untie(t)
		}
	}
}

// framesSoFar returns the frames of t's live run that the log has; it waits for the first.
func (r *reader) framesSoFar(t *state.Thread) ([]state.Frame, error) {
	defer r.keepAlive()()
	from := state.FrameID{Fence: t.Live.Intent.Origin}
	ctx, cancel := context.WithCancel(r.req.Context())
	defer cancel()
	defer context.AfterFunc(r.g.outage.Gone(), cancel)()
	for batch, err := range r.g.tail(ctx, r.key, from) {
		if err != nil {
			return nil, route.StoreError(err)
		}
		// If the run has ended already, the log may have a newer one.
		for i := len(batch) - 1; i >= 0; i-- {
			if batch[i].Type == agui.TypeRunStarted {
				return batch[i:], nil
			}
		}
		if len(batch) > 0 {
			return batch, nil
		}
	}
	if err := context.Cause(r.req.Context()); err != nil {
		return nil, err
	}
	// the store has been away for too long, or is closed
	return nil, &errcode.Error{Code: errcode.StoreUnavailable, Err: errStoreGone}
}

// sendPrelude sends the prelude that adds up to frames, the first ones of a run.
func (r *reader) sendPrelude(frames []state.Frame, extra []agui.Event) error {
	view, start, err := r.viewOf(frames)
	if err != nil {
		return err
	}
	events, err := view.Prelude(start)
	if err != nil {
		return err
	}
	sent := readerEvents(append(events, extra...)...)
	if r.profile.Trace {
		sent = append(sent, stepsSoFar(frames)...)
	}
	return r.send(frames[len(frames)-1].ID, sent...)
}

// viewOf returns what the first frames of a run add up to, and the event that started it.
func (r *reader) viewOf(frames []state.Frame) (*run.View, *agui.RunStarted, error) {
	messages := func(rev int64) ([]agui.Message, error) {
		list, err := r.messages(rev)
		if err != nil {
			return nil, err
		}
		return list.Messages()
	}
	base, err := messages(frames[0].Rev)
	if err != nil {
		return nil, nil, err
	}
	doc, err := document.New(nil, document.Options{})
	if err != nil {
		return nil, nil, err
	}
	view := run.NewView(base, doc)
	var start *agui.RunStarted
	var decoder frame.Decoder
	var skipped frame.Malformed
	defer skipped.Log(r.g.log(r.req))
	for _, f := range frames {
		if f.Type == state.TypeTrace {
			continue
		}
		e, err := decoder.Event(f, messages, r.state)
		if skipped.Skip(f, err) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if s, ok := e.(*agui.RunStarted); ok && start == nil {
			start = s
		}
		if err := view.Apply(e); err != nil {
			return nil, nil, err
		}
	}
	if start == nil {
		return nil, nil, fmt.Errorf("gateway: the log of run %d does not begin with its start", frames[0].ID.Fence)
	}
	return view, start, nil
}

// showOrJoin shows a thread that had no live run at the last call of the store, or joins a new run.
func (r *reader) showOrJoin(begun *state.Begun, s threadView) error {
	s.Snapshot = &state.Snapshot{Thread: begun.Thread}
	if begun.Exists {
		now, err := r.snapshot()
		switch {
		case errors.Is(err, state.ErrUnknownThread): // it was deleted just now
		case err != nil:
			return err
		case now.Thread.Live != nil:
			return r.join(now.Thread, s.extra...)
		default:
			s.Snapshot = now
		}
	}
	return r.showThread(s)
}

// A threadView is a thread as one reader sees it.
type threadView struct {
	*state.Snapshot
	failed *state.Run     // its error is sent again
	more   []agui.Message // shown after the thread's messages, not stored
	extra  []agui.Event   // before the end
}

// showThread sends a whole, valid stream that adds up to the thread: snapshots and the current outcome.
func (r *reader) showThread(s threadView) error {
	messages := s.Messages
	for _, m := range s.more {
		more, err := state.NewStoredMessage(m)
		if err != nil {
			return err
		}
		messages = append(messages[:len(messages):len(messages)], more)
	}
	events := append(readerEvents(r.runStarted()), stateSnapshot(s.State))
	if before, out := compareOrder(r.sent(), messages); out {
		events = append(events, messagesSnapshot(before))
	}
	events = append(append(events, messagesSnapshot(messages)), readerEvents(s.extra...)...)
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if len(s.Interrupts) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.Interrupts}
	}
	if s.failed != nil {
		events = append(events, readerEvents(&agui.RunError{Message: cmp.Or(s.failed.Text, s.failed.Code.Message()),
			Code: string(s.failed.Code)})...)
	} else {
		events = append(events, readerEvents(r.runFinished(outcome))...)
	}
	return r.send(s.Thread.Last, events...)
}
