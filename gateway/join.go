package gateway

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// join makes the caller a reader of the live run: a prelude that is itself a valid stream, then the tail. It
// unties the run from the connection it was posted on (R4).
func (c *caller) join(t *state.Thread, extra ...agui.Event) error {
	if !c.g.readers.enter(t.Key, c.g.o.Limits.Readers) {
		return &agui.Error{Code: agui.CodeOverloaded, Err: fmt.Errorf("gateway: more than %d readers", c.g.o.Limits.Readers)}
	}
	defer c.g.readers.leave(t.Key)
	if _, err := c.g.store.Signal(c.r.Context(), t.Key, state.SignalUntie); err != nil {
		return storeError(err)
	}
	if a := c.g.attempt(t.Key); a != nil {
		a.enter()
		defer a.leave()
	}
	if err := c.open(); err != nil {
		return err
	}
	after, ended, err := c.prelude(t, extra)
	if err != nil || ended {
		return err
	}
	return c.tail(tailing{key: t.Key, after: after})
}

// prelude restates the live run of t so far, and extra behind it. It returns the frame it goes up to, and
// whether that is the run's last: then the thread was shown as it stands instead.
func (c *caller) prelude(t *state.Thread, extra []agui.Event) (after agui.FrameID, ended bool, err error) {
	frames, err := c.soFar(t)
	if err != nil {
		return after, false, err
	}
	if last := len(frames) - 1; terminal(frames[last]) {
		return after, true, c.showThread(t.Key, shown{extra: extra})
	}
	view, start, err := c.fold(t.Key, frames)
	if err != nil {
		return after, false, err
	}
	events, err := view.Prelude(start)
	if err != nil {
		return after, false, err
	}
	after = frames[len(frames)-1].ID
	return after, false, c.show(t.Key, after, plain(append(events, extra...)...)...)
}

// soFar returns the frames of t's live run that the log has; it waits for the first.
func (c *caller) soFar(t *state.Thread) ([]agui.Frame, error) {
	stop := c.beat()
	defer stop()
	from := agui.FrameID{Fence: t.Live.Intent.Origin}
	for batch, err := range c.g.store.Tail(c.r.Context(), t.Key, from) {
		if err != nil {
			return nil, storeError(err)
		}
		if len(batch) > 0 {
			return batch, nil
		}
	}
	return nil, context.Cause(c.r.Context())
}

// fold adds up a run from its frames.
func (c *caller) fold(key state.Key, frames []agui.Frame) (*agui.View, *agui.RunStarted, error) {
	base, err := c.g.store.Messages(c.r.Context(), key, frames[0].Rev)
	if err != nil {
		return nil, nil, storeError(err)
	}
	doc, err := state.NewDocument(nil, state.DocumentOptions{})
	if err != nil {
		return nil, nil, err
	}
	view := agui.NewView(base, doc)
	var start *agui.RunStarted
	for _, f := range frames {
		e, err := c.event(key, f)
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

// event decodes a stored frame; a marker becomes the snapshot it stands for.
func (c *caller) event(key state.Key, f agui.Frame) (agui.Event, error) {
	if f.Type == agui.TypeMessagesSnapshot && f.Data == nil {
		messages, err := c.g.store.Messages(c.r.Context(), key, f.Rev)
		if err != nil {
			return nil, storeError(err)
		}
		return &agui.MessagesSnapshot{Messages: messages}, nil
	}
	return agui.Decode(f.Data, nil)
}

// attempt returns the live attempt of a thread on this replica, or nil.
func (g *Gateway) attempt(key state.Key) *attempt {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.attempts[key]
}
