package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// A tailing is what a reader wants of a log.
type tailing struct {
	key   state.Key
	after state.FrameID
	// opening is what to do about the snapshot of the messages that opens a run.
	opening openingFor
	// owed says that the reader is in the middle of a run, whose end it must be told.
	owed bool
	// end says when the reader has seen enough.
	end endAt
}

type endAt uint8

const (
	endAtTerminal endAt = iota // after the first terminal event
	endAtIdle                  // at the end of an idle thread's log
	endNever
)

// follow is the response of the POST that started run a.
func (c *caller) follow(begun *state.Begun, a *attempt) error {
	c.g.readers.enter(c.req.Key, 0) // whoever started the run may read it
	defer c.g.readers.leave(c.req.Key)
	c.follows(begun.Thread)
	err := c.open()
	if err == nil {
		t := tailing{key: c.req.Key, after: state.FrameID{Fence: begun.Lease.Fence}, owed: true}
		if t.opening, err = c.needs(begun); err == nil {
			err = c.tail(t)
		}
	}
	if err != nil {
		c.hungUp(a)
	}
	return err
}

// hungUp tells run a that its caller's connection has closed.
func (c *caller) hungUp(a *attempt) {
	select {
	case <-a.done:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), 5*time.Second)
	defer cancel()
	if _, err := c.g.store.Signal(ctx, c.req.Key, a.intent.Origin, state.SignalHungUp); err != nil && !errors.Is(err, state.ErrUnknownThread) {
		c.g.log(c.r).Warn("run: hang-up not noted", "error", err)
	}
}

// tail sends what the log has behind a cursor, and what joins it, until the reader has seen enough. A reader for whom the
// log does not have what comes next any more begins anew, unless it is in the middle of a run.
func (c *caller) tail(t tailing) error {
	for {
		err := c.tailLog(t)
		if !errors.Is(err, state.ErrTrimmed) {
			return err
		}
		if c.stream.inRun || c.again != nil && c.again.begun {
			return c.lost(agui.CodeRunLost)
		}
		over := false
		if t.after, over, err = c.beginAnew(t.key); err != nil || over && t.end != endNever {
			return err
		}
		t.owed, t.opening = !over, openingFor{}
	}
}

// beginAnew is [caller.prelude] for a reader whose own run may be over. If that failed, its error is told again.
func (c *caller) beginAnew(key state.Key) (after state.FrameID, over bool, err error) {
	now, err := c.snapshot(key)
	if err != nil {
		return after, false, err
	}
	run := now.Thread.Newest()
	if c.req == nil || c.again != nil || run == nil || run.Status != state.RunError || run.RunID != c.req.RunID {
		return c.prelude(now.Thread, nil)
	}
	return now.Thread.Last, true, c.showThread(shown{Snapshot: now, failed: run})
}

// tailLog is [caller.tail] up to where the log has a gap: then it returns [state.ErrTrimmed].
func (c *caller) tailLog(t tailing) error {
	defer c.beat()()
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(c.g.serving, func() {
		if t.end != endNever {
			select { // the end of the run is on its way
			case <-time.After(lastFrames):
			case <-ctx.Done(): // and has come
			}
		}
		cancel()
	})()
	gone := c.g.outage.tooLong()
	defer context.AfterFunc(gone, cancel)()
	var run opening
	for batch, err := range c.g.tail(ctx, t.key, t.after) {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return c.leave(t, gone)
		case errors.Is(err, state.ErrTrimmed):
			return err
		case errors.Is(err, state.ErrUnknownThread) && t.owed:
			return c.forgotten()
		case errors.Is(err, state.ErrUnknownThread):
			return c.stream.close() // it was deleted, which needs no words
		case t.owed:
			return route.StoreError(err)
		default:
			c.g.log(c.r).Error("reader: store", "error", err)
			return c.stream.close() // between two runs there is nothing to tell
		}
		frames, last, err := c.batch(t, &run, batch)
		if errors.Is(err, state.ErrRevision) {
			return state.ErrTrimmed // while this was read
		}
		if err != nil {
			return err
		}
		unclosed := c.again != nil && last.Type == agui.TypeRunError && last.Ending == nil // see state.DeletedFrame
		if unclosed {
			frames = frames[:len(frames)-1]
		}
		c.again.note(frames)
		if err := c.stream.send(frames...); err != nil {
			return err
		}
		if unclosed {
			return c.askAgain(agui.CodeCancelled)
		}
		t.owed = !terminal(last)
		if !t.owed && (t.end == endAtTerminal || t.end == endAtIdle && c.idle(t.key, last.ID)) {
			return c.stream.close()
		}
	}
	return c.leave(t, gone)
}

// leave ends a stream that the log did not end.
func (c *caller) leave(t tailing, gone context.Context) error {
	switch {
	case c.r.Context().Err() != nil:
		return context.Cause(c.r.Context())
	case t.owed && gone.Err() != nil:
		return c.lost(agui.CodeStoreUnavailable)
	case t.owed:
		return c.lost(agui.CodeDraining) // another replica goes on with it
	default:
		return c.stream.close() // the server is done
	}
}

// tail is the store's, but waits for one that is away when it begins; later the store's own does.
func (g *Gateway) tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		until := time.Now().Add(g.o.StoreBuffer)
		for {
			again := false
			for batch, err := range g.store.Tail(ctx, key, after) {
				if again = err != nil && !final(err) && time.Now().Before(until); again {
					break
				}
				if !yield(batch, err) || err != nil {
					return
				}
				after, until = batch[len(batch)-1].ID, time.Now().Add(g.o.StoreBuffer)
			}
			if !again {
				return
			}
			g.away()
			if pause(ctx, tailPause) != nil {
				return
			}
		}
	}
}

// tailPause is how long a reader waits before it asks a store again that is away.
const tailPause = 100 * time.Millisecond

// messages are those of a thread at a revision.
func (c *caller) messages(key state.Key, rev int64) (state.Conversation, error) {
	return ask(c, func(ctx context.Context) (state.Conversation, error) { return c.g.store.Messages(ctx, key, rev) })
}

// state is that of a thread at a revision.
func (c *caller) state(key state.Key, rev int64) (json.RawMessage, error) {
	return ask(c, func(ctx context.Context) (json.RawMessage, error) { return c.g.store.State(ctx, key, rev) })
}

// snapshot is the thread as it stands.
func (c *caller) snapshot(key state.Key) (*state.Snapshot, error) {
	return ask(c, func(ctx context.Context) (*state.Snapshot, error) { return c.g.store.Snapshot(ctx, key) })
}

// ask asks the store. In the middle of a stream one that is away is waited for.
func ask[T any](c *caller, call func(context.Context) (T, error)) (T, error) {
	until := time.Now().Add(c.g.o.StoreBuffer)
	for {
		ctx, cancel := context.WithTimeout(c.r.Context(), max(time.Until(until), storeTimeout))
		answer, err := call(ctx)
		cancel()
		if err == nil {
			return answer, nil
		}
		var none T
		over := c.g.serving.Err() != nil || time.Now().After(until)
		if over || c.stream == nil || final(err) {
			return none, route.StoreError(err)
		}
		c.g.away()
		if err := pause(c.r.Context(), tailPause); err != nil {
			return none, err
		}
	}
}

// lastFrames is how long a reader waits for the end of its run when the server has no runs left: it was written
// already, or it will be another replica's to write.
const lastFrames = 500 * time.Millisecond

// batch makes the reader's frames of stored ones, up to the first terminal one if that is where the reader ends. It
// returns the last stored frame they stand for.
func (c *caller) batch(t tailing, run *opening, batch []state.Frame) (frames []state.Frame, last state.Frame, err error) {
	for _, f := range batch {
		last = f
		if f.Type == agui.TypeRunStarted {
			c.g.readers.rests(t.key, false)
		}
		if run.restates(f) && t.opening.skip {
			continue
		}
		sent, err := c.project(t.key, f)
		if err != nil {
			return nil, last, err
		}
		frames = append(frames, sent...)
		if *run == stated {
			if sent, err = c.openWith(t); err != nil {
				return nil, last, err
			}
			frames = append(frames, sent...)
		}
		if t.end == endAtTerminal && terminal(f) {
			break
		}
	}
	return frames, last, nil
}

// idle reports whether nothing runs on the thread and its log ends with the frame last.
func (c *caller) idle(key state.Key, last state.FrameID) bool {
	t, _, err := c.g.store.Load(c.r.Context(), key)
	return err != nil || t.Live == nil && !last.Less(t.Last)
}
