package gateway

import (
	"cmp"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// showOrJoin shows a thread on which nothing ran when the store was asked. If a run is live by now, the client joins it.
func (r *reader) showOrJoin(begun *state.Begun, s shown) error {
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

// shown is a thread as a reader is shown it.
type shown struct {
	*state.Snapshot
	failed *state.Run     // its error is sent again
	more   []agui.Message // shown behind the thread's own, not stored
	extra  []agui.Event   // before the end
}

// showThread sends a whole, valid stream that adds up to the thread: snapshots and the current outcome.
func (r *reader) showThread(s shown) error {
	messages := s.Messages
	for _, m := range s.more {
		more, err := state.NewStoredMessage(m)
		if err != nil {
			return err
		}
		messages = append(messages[:len(messages):len(messages)], more)
	}
	events := append(readerEvents(r.runStarted()), stateSnapshot(s.State))
	if before, out := unordered(r.own, messages); out {
		events = append(events, messagesSnapshot(before))
	}
	events = append(append(events, messagesSnapshot(messages)), readerEvents(s.extra...)...)
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if len(s.Interrupts) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.Interrupts}
	}
	if s.failed != nil {
		events = append(events, readerEvents(&agui.RunError{Message: cmp.Or(s.failed.Text, s.failed.Code.Message()), Code: string(s.failed.Code)})...)
	} else {
		events = append(events, readerEvents(r.runFinished(outcome))...)
	}
	return r.send(s.Thread.Last, events...)
}
