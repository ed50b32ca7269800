package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// join makes the caller a reader of the live run of t: a prelude that is itself a valid stream, then the tail. It
// unties the run from the connection it was posted on (R4).
func (c *caller) join(t *state.Thread, extra ...agui.Event) error {
	if !c.g.readers.enter(t.Key, c.g.o.Limits.Readers) {
		return &agui.Error{Code: agui.CodeOverloaded, Err: fmt.Errorf("gateway: more than %d readers", c.g.o.Limits.Readers)}
	}
	defer c.g.readers.leave(t.Key)
	c.untie(t)
	c.follows(t)
	if err := c.open(); err != nil {
		return err
	}
	after, over, err := c.prelude(t, extra)
	if err != nil || over {
		return err
	}
	return c.tail(tailing{key: t.Key, after: after, owed: true})
}

// untie tells the live run of t that it has a reader beside the connection it was posted on.
func (c *caller) untie(t *state.Thread) {
	if err := c.g.noteReader(c.r.Context(), t.Key); err != nil {
		c.g.log(c.r).Warn("run: its reader is not noted", "error", err)
	}
	if _, err := c.g.store.Signal(c.r.Context(), t.Key, t.Live.Intent.Origin, state.SignalUntie); err != nil && !errors.Is(err, state.ErrUnknownThread) {
		c.g.log(c.r).Warn("run: not untied", "error", err)
	}
}

// prelude restates the live run of t so far, and extra behind it; if there is none, or it is over by now, the thread as it
// then stands. It returns the frame it goes up to, and whether that is where the thread rests.
func (c *caller) prelude(t *state.Thread, extra []agui.Event) (after state.FrameID, over bool, err error) {
	for {
		if t.Live == nil {
			now, err := c.snapshot(t.Key)
			if err != nil {
				return after, false, err
			}
			if now.Thread.Live == nil {
				return now.Thread.Last, true, c.showThread(shown{Snapshot: now, extra: extra})
			}
			t = now.Thread
			c.untie(t)
		}
		frames, err := c.soFar(t)
		if err != nil && !errors.Is(err, state.ErrTrimmed) { // only what is over is trimmed
			return after, false, err
		}
		if err == nil {
			if last := frames[len(frames)-1]; !terminal(last) {
				err := c.restate(t.Key, frames, extra)
				if !errors.Is(err, state.ErrRevision) { // the same
					return last.ID, false, err
				}
			}
		}
		now, _, err := c.g.store.Load(c.r.Context(), t.Key)
		if err != nil {
			return after, false, route.StoreError(err)
		}
		if t = now; t.Live != nil {
			c.untie(t)
		}
	}
}

// soFar returns the frames of t's live run that the log has; it waits for the first.
func (c *caller) soFar(t *state.Thread) ([]state.Frame, error) {
	defer c.beat()()
	from := state.FrameID{Fence: t.Live.Intent.Origin}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	gone := c.g.outage.tooLong()
	defer context.AfterFunc(gone, cancel)()
	for batch, err := range c.g.tail(ctx, t.Key, from) {
		if err != nil {
			return nil, route.StoreError(err)
		}
		// If the run is over already, a newer one may be behind it.
		for i := len(batch) - 1; i >= 0; i-- {
			if batch[i].Type == agui.TypeRunStarted {
				return batch[i:], nil
			}
		}
		if len(batch) > 0 {
			return batch, nil
		}
	}
	if err := context.Cause(c.r.Context()); err != nil {
		return nil, err
	}
	return nil, &agui.Error{Code: agui.CodeStoreUnavailable, Err: errStoreGone} // for too long, or it was closed
}

// restate sends the prelude that adds up to frames, the beginning of a run.
func (c *caller) restate(key state.Key, frames []state.Frame, extra []agui.Event) error {
	view, start, err := c.fold(key, frames)
	if err != nil {
		return err
	}
	events, err := view.Prelude(start)
	if err != nil {
		return err
	}
	return c.show(key, frames[len(frames)-1].ID, plain(append(events, extra...)...)...)
}

// fold adds up a run from its frames.
func (c *caller) fold(key state.Key, frames []state.Frame) (*run.View, *agui.RunStarted, error) {
	messages := func(rev int64) ([]agui.Message, error) {
		list, err := c.messages(key, rev)
		if err != nil {
			return nil, err
		}
		return list.Messages()
	}
	base, err := messages(frames[0].Rev)
	if err != nil {
		return nil, nil, err
	}
	doc, err := state.NewDocument(nil, state.DocumentOptions{})
	if err != nil {
		return nil, nil, err
	}
	view := run.NewView(base, doc)
	var start *agui.RunStarted
	var skipped malformedFrames
	defer skipped.log(c.g.log(c.r))
	for _, f := range frames {
		e, err := eventOf(f, messages, func(rev int64) (json.RawMessage, error) { return c.state(key, rev) })
		if skipped.skips(f, err) {
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
