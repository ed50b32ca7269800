package gateway

import (
	"cmp"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// hydrate shows the thread as it stands; nothing runs.
func (c *caller) hydrate(begun *state.Begun) error {
	return c.stand(begun, shown{failed: begun.Verdict.Failed})
}

// stand shows a thread where nothing ran when the store was asked. If something runs by now, the caller joins that.
func (c *caller) stand(begun *state.Begun, s shown) error {
	s.Snapshot = &state.Snapshot{Thread: begun.Thread}
	if begun.Exists {
		now, err := c.snapshot(c.req.Key)
		switch {
		case errors.Is(err, state.ErrUnknownThread): // it was deleted just now
		case err != nil:
			return err
		case now.Thread.Live != nil:
			return c.join(now.Thread, s.extra...)
		default:
			s.Snapshot = now
		}
	}
	return c.showThread(s)
}

// shown is a thread as a reader is shown it.
type shown struct {
	*state.Snapshot
	failed *state.Run     // its error is told again
	more   []agui.Message // shown behind the thread's own, not stored
	extra  []agui.Event   // before the end
}

// showThread sends a whole, valid stream that adds up to the thread: snapshots and the current outcome.
func (c *caller) showThread(s shown) error {
	key := s.Thread.Key
	messages := s.Messages
	for _, m := range s.more {
		more, err := state.NewStoredMessage(m)
		if err != nil {
			return err
		}
		messages = append(messages[:len(messages):len(messages)], more)
	}
	events := append(plain(c.opening(key)), stateSnapshot(s.State))
	if c.req != nil {
		if before, out := unordered(c.req.Messages, messages); out {
			events = append(events, messagesSnapshot(before))
		}
	}
	events = append(append(events, messagesSnapshot(messages)), plain(s.extra...)...)
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if len(s.Interrupts) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.Interrupts}
	}
	if s.failed != nil {
		events = append(events, plain(&agui.RunError{Message: cmp.Or(s.failed.Text, s.failed.Code.Message()), Code: string(s.failed.Code)})...)
	} else {
		events = append(events, plain(c.closing(key, outcome))...)
	}
	return c.show(key, s.Thread.Last, events...)
}

func (c *caller) opening(key state.Key) agui.Event {
	return &agui.RunStarted{ThreadID: key.ID, RunID: c.runID(), ProtocolVersion: agui.ProtocolVersion, ParentRunID: c.parent()}
}

func (c *caller) closing(key state.Key, outcome *agui.Outcome) agui.Event {
	return &agui.RunFinished{ThreadID: key.ID, RunID: c.runID(), Outcome: outcome}
}

// runID is what this stream calls its run: the caller's word, or a new one for who only watches.
func (c *caller) runID() string {
	if c.req != nil {
		return c.req.RunID
	}
	if c.watch == "" {
		c.watch = c.g.o.NewID()
	}
	return c.watch
}

func (c *caller) parent() string {
	if c.req != nil {
		return c.req.ParentRunID
	}
	return ""
}
