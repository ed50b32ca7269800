package gateway

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A tailing is what a reader wants of a log.
type tailing struct {
	key   state.Key
	after agui.FrameID
	// skipOpening leaves out the snapshot of the messages that opens a run whose caller has them already.
	skipOpening bool
	// end says when the reader has seen enough: after the first terminal event, at the end of an idle thread's
	// log, or never.
	end endAt
}

type endAt uint8

const (
	endAtTerminal endAt = iota
	endAtIdle
	endNever
)

// follow is the response of the POST that started run a.
func (c *caller) follow(begun *state.Begun, a *attempt) error {
	defer c.g.readers.leave(c.req.Key)
	c.g.readers.enter(c.req.Key, 0) // whoever started the run may read it
	a.enter()
	defer a.leave()
	if err := c.open(); err != nil {
		return c.hungUp(err)
	}
	same, err := c.hasAll(begun)
	if err != nil {
		return c.hungUp(err)
	}
	return c.hungUp(c.tail(tailing{key: c.req.Key, after: agui.FrameID{Fence: begun.Lease.Fence}, skipOpening: same}))
}

// hungUp tells the run that its caller's connection has closed, if that was it.
func (c *caller) hungUp(err error) error {
	if err == nil && c.r.Context().Err() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), 5*time.Second)
	defer cancel()
	if _, err := c.g.store.Signal(ctx, c.req.Key, state.SignalHungUp); err != nil {
		c.g.log(c.r).Warn("run: hang-up not noted", "error", err)
	}
	return err
}

// hasAll reports whether the request's own list of messages is the thread's.
func (c *caller) hasAll(begun *state.Begun) (bool, error) {
	messages, err := c.g.store.Messages(c.r.Context(), c.req.Key, begun.Thread.Rev)
	if err != nil {
		return false, err
	}
	own := slices.DeleteFunc(slices.Clone(c.req.Messages), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
	return slices.EqualFunc(own, messages, func(a, b agui.Message) bool {
		if a.ID != b.ID {
			return false
		}
		x, errX := a.MarshalJSON()
		y, errY := b.MarshalJSON()
		return errX == nil && errY == nil && bytes.Equal(x, y)
	}), nil
}

// tail sends what the log has behind a cursor, and what joins it, until the reader has seen enough.
func (c *caller) tail(t tailing) error {
	stop := c.beat()
	defer stop()
	ctx := c.r.Context()
	var run opening
	for batch, err := range c.g.store.Tail(ctx, t.key, t.after) {
		if err != nil {
			return storeError(err)
		}
		var frames []agui.Frame
		over := false
		for _, f := range batch {
			if run.restates(f) && t.skipOpening {
				continue
			}
			sent, err := c.project(t.key, f)
			if err != nil {
				return err
			}
			frames = append(frames, sent...)
			over = terminal(f)
			if over && t.end == endAtTerminal {
				break
			}
		}
		if err := c.stream.send(frames...); err != nil {
			return err
		}
		if over && (t.end == endAtTerminal || t.end == endAtIdle && c.idle(t.key)) {
			return c.stream.close()
		}
	}
	return context.Cause(ctx)
}

// An opening finds the snapshot of the messages that opens a run: the one right behind its first state.
type opening uint8

// restates takes the next frame and reports whether it is that snapshot.
func (o *opening) restates(f agui.Frame) bool {
	found := *o == 2 && f.Type == agui.TypeMessagesSnapshot
	switch {
	case f.Type == agui.TypeRunStarted:
		*o = 1
	case *o == 1 && f.Type == agui.TypeStateSnapshot:
		*o = 2
	default:
		*o = 0
	}
	return found
}

// idle reports whether nothing runs on the thread.
func (c *caller) idle(key state.Key) bool {
	t, _, err := c.g.store.Load(c.r.Context(), key)
	return err != nil || t.Live == nil
}

// project makes the reader's frames of a stored one. A marker is rendered first: the messages of the thread
// at the revision it names.
func (c *caller) project(key state.Key, f agui.Frame) ([]agui.Frame, error) {
	if f.Type == agui.TypeMessagesSnapshot && f.Data == nil {
		messages, err := c.g.store.Messages(c.r.Context(), key, f.Rev)
		if err != nil {
			return nil, storeError(err)
		}
		if f.Data, err = agui.Encode(&agui.MessagesSnapshot{Messages: messages}); err != nil {
			return nil, err
		}
	}
	frames, loss, err := c.wire.Project(f)
	if loss != 0 {
		c.g.log(c.r).Warn("reader: cannot be told everything", "event", string(f.Type), "lost", loss.String())
	}
	return frames, err
}

// show sends events that are not in the log; only the last gets an id.
func (c *caller) show(key state.Key, id agui.FrameID, events ...framed) error {
	if err := c.open(); err != nil {
		return err
	}
	var all []agui.Frame
	for _, e := range events {
		data, err := agui.Encode(e.event)
		if err != nil {
			return err
		}
		frames, err := c.project(key, agui.Frame{Type: e.event.EventType(), Data: data, Ending: e.ending})
		if err != nil {
			return err
		}
		all = append(all, frames...)
	}
	if len(all) > 0 {
		all[len(all)-1].ID = id
	}
	return c.stream.send(all...)
}

// framed is an event on its way to one reader.
type framed struct {
	event  agui.Event
	ending *agui.Ending
}

func plain(events ...agui.Event) []framed {
	out := make([]framed, len(events))
	for i, e := range events {
		out[i] = framed{event: e}
	}
	return out
}

// terminal reports whether f ends a run.
func terminal(f agui.Frame) bool {
	return f.Type == agui.TypeRunFinished || f.Type == agui.TypeRunError
}

// readerCount counts the readers of each thread on this replica.
type readerCount struct {
	mu sync.Mutex
	n  map[state.Key]int
}

// enter counts a reader in, unless there are limit of them already (0: no limit).
func (c *readerCount) enter(key state.Key, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit > 0 && c.n[key] >= limit {
		return false
	}
	if c.n == nil {
		c.n = map[state.Key]int{}
	}
	c.n[key]++
	return true
}

func (c *readerCount) leave(key state.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n[key]--; c.n[key] == 0 {
		delete(c.n, key)
	}
}
