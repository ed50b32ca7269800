package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state"
)

// tailOptions selects the part of the log that a reader wants.
type tailOptions struct {
	after state.FrameID
	// opening is the handling of the messages snapshot that opens a run.
	opening openingOptions
	// live means that the reader is within a run and has to see its end.
	live bool
	// end is the place where the reader stops.
	end endAt
}

type endAt uint8

const (
	endAtTerminal endAt = iota // after the first terminal event
	endAtIdle                  // at the end of an idle thread's log
	endNever
)

// follow sends the run that the reader's request has started.
func (r *reader) follow(begun *state.Begun, a *attempt) error {
	r.g.enterStarter(r.key)
	defer r.g.leaveReader(r.key)
	r.noteResumed(begun.Thread)
	if begun.Thread.Live.Intent.RunID == r.profile.RunID {
		r.named = begun.Lease.Fence
	}
	err := r.open()
	if err == nil {
		r.stream.first = &firstWait{metrics: r.g.metrics, agent: a.measuredAs, since: a.requested}
		t := tailOptions{after: state.FrameID{Fence: begun.Lease.Fence}, live: true}
		if t.opening, err = r.openingOptions(begun); err == nil {
			err = r.tail(t)
		}
	}
	if err != nil {
		r.signalHangUp(a)
	}
	return err
}

// signalHangUp reports to run a that the connection it was posted on has closed.
func (r *reader) signalHangUp(a *attempt) {
	select {
	case <-a.done:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.req.Context()), 5*time.Second)
	defer cancel()
	if _, err := r.g.store.Signal(ctx, r.key, a.intent.Origin, state.SignalHungUp); err != nil &&
		!errors.Is(err, state.ErrUnknownThread) {
		r.g.log(r.req).Warn("run: hang-up not noted", "error", err)
	}
}

// tail sends the frames that t selects. A reader with a trimmed cursor, unless within a run, gets a prelude again.
func (r *reader) tail(t tailOptions) error {
	for {
		err := r.tailToGap(t)
		if !errors.Is(err, state.ErrTrimmed) {
			return err
		}
		if r.inRun() {
			return r.endEarly(errcode.RunLost)
		}
		idle := false
		if t.after, idle, err = r.preludeAfterGap(); err != nil || idle && t.end != endNever {
			return err
		}
		t.live, t.opening = !idle, openingOptions{}
	}
}

// preludeAfterGap is [reader.prelude] for a run that may have ended. It sends the error of a failed run again.
func (r *reader) preludeAfterGap() (after state.FrameID, idle bool, err error) {
	now, err := r.snapshot()
	if err != nil {
		return after, false, err
	}
	run := now.Thread.Run
	if !r.posted || r.resumed != nil || run == nil || run.Status != state.RunError || run.RunID != r.runID {
		return r.prelude(now.Thread, nil)
	}
	return now.Thread.Last, true, r.showThread(threadView{Snapshot: now, failed: run})
}

// tailToGap is [reader.tail] up to where the log has a gap: then it returns [state.ErrTrimmed].
func (r *reader) tailToGap(t tailOptions) error {
	defer r.keepAlive()()
	ctx, cancel := context.WithCancel(r.req.Context())
	defer cancel()
	defer context.AfterFunc(r.g.serving, func() {
		if t.end != endNever {
			select { // the last frames may still arrive
			case <-time.After(lastFrames):
			case <-ctx.Done(): // the tail has ended
			}
		}
		cancel()
	})()
	storeGone := r.g.outage.Gone()
	defer context.AfterFunc(storeGone, cancel)()
	var run opening
	for batch, err := range r.g.tail(ctx, r.key, t.after) {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return r.endTail(t, storeGone)
		case errors.Is(err, state.ErrTrimmed):
			return err
		case errors.Is(err, state.ErrUnknownThread) && t.live:
			return r.endDeleted()
		case errors.Is(err, state.ErrUnknownThread):
			return r.stream.close() // the thread was deleted between two runs
		case t.live:
			return route.StoreError(err)
		default:
			r.g.log(r.req).Error("reader: store", "error", err)
			return r.stream.close() // between two runs no event is missing
		}
		frames, last, err := r.projectBatch(t, &run, batch)
		if errors.Is(err, state.ErrRevision) {
			return state.ErrTrimmed // while this was read
		}
		if err != nil {
			return err
		}
		unclosed := r.resumed != nil && last.Type == agui.TypeRunError && last.Ending == nil // see state.DeletedFrame
		if unclosed {
			frames = frames[:len(frames)-1]
		}
		r.resumed.add(frames)
		if err := r.stream.send(frames...); err != nil {
			return err
		}
		if unclosed {
			return r.askAgain(errcode.Cancelled)
		}
		t.live = !frame.Terminal(last)
		if !t.live && (t.end == endAtTerminal || t.end == endAtIdle && r.isIdleAt(last.ID)) {
			return r.stream.close()
		}
	}
	return r.endTail(t, storeGone)
}

// endTail ends a stream that the log did not end.
func (r *reader) endTail(t tailOptions, storeGone context.Context) error {
	switch {
	case r.req.Context().Err() != nil:
		return context.Cause(r.req.Context())
	case t.live && storeGone.Err() != nil:
		return r.endEarly(errcode.StoreUnavailable)
	case t.live:
		return r.endEarly(errcode.Draining) // another replica continues the run
	default:
		return r.stream.close() // the server is done
	}
}

// tail tails a log and waits for a store that is away at first; later the store does so itself.
func (g *Gateway) tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		until := time.Now().Add(g.o.StoreBuffer)
		for {
			again := false
			for batch, err := range g.store.Tail(ctx, key, after) {
				if again = err != nil && !calls.Permanent(err) && time.Now().Before(until); again {
					break
				}
				if !yield(batch, err) || err != nil {
					return
				}
				if len(batch) > 0 {
					after = batch[len(batch)-1].ID
				}
				until = time.Now().Add(g.o.StoreBuffer)
			}
			if !again {
				return
			}
			g.noteStoreError()
			if wait.For(ctx, tailPause) != nil {
				return
			}
		}
	}
}

// tailPause is the delay before a reader repeats a call of an unavailable store.
const tailPause = 100 * time.Millisecond

func (r *reader) messages(rev int64) (state.Conversation, error) {
	known, opening := r.opening, r.openingRev
	r.opening = nil // it is held no longer than until the first snapshot
	if known != nil && opening == rev {
		return known, nil
	}
	return askStore(r, func(ctx context.Context) (state.Conversation, error) {
		return r.g.store.Messages(ctx, r.key, rev)
	})
}

func (r *reader) state(rev int64) (json.RawMessage, error) {
	return askStore(r, func(ctx context.Context) (json.RawMessage, error) { return r.g.store.State(ctx, r.key, rev) })
}

func (r *reader) snapshot() (*state.Snapshot, error) {
	return askStore(r, func(ctx context.Context) (*state.Snapshot, error) { return r.g.store.Snapshot(ctx, r.key) })
}

// askStore makes a call to the store. Once the stream is open, a store that is away is waited for.
func askStore[T any](r *reader, call func(context.Context) (T, error)) (T, error) {
	until := time.Now().Add(r.g.o.StoreBuffer)
	for {
		ctx, cancel := context.WithTimeout(r.req.Context(), max(time.Until(until), calls.StoreTimeout))
		answer, err := call(ctx)
		cancel()
		if err == nil {
			return answer, nil
		}
		var none T
		waited := r.g.serving.Err() != nil || time.Now().After(until)
		if waited || r.stream == nil || calls.Permanent(err) {
			return none, route.StoreError(err)
		}
		r.g.noteStoreError()
		if err := wait.For(r.req.Context(), tailPause); err != nil {
			return none, err
		}
	}
}

// lastFrames is how long a reader waits for the end of its run after the last live run of this replica.
const lastFrames = 500 * time.Millisecond

// projectBatch converts stored frames to the reader's, up to its end. It returns the last stored frame covered.
func (r *reader) projectBatch(t tailOptions, run *opening,
	batch []state.Frame) (frames []state.Frame, last state.Frame, err error) {
	frames = make([]state.Frame, 0, len(batch))
	for _, f := range batch {
		last = f
		if f.Type == agui.TypeRunStarted {
			r.g.readers.noteIdle(r.key, false)
		}
		if f.Type != state.TypeTrace && run.isSnapshot(f) && t.opening.skip {
			continue
		}
		if frames, err = r.project(frames, f); err != nil {
			return nil, last, err
		}
		if f.Type == agui.TypeStateSnapshot && *run == stated {
			if frames, err = r.openingSnapshots(frames, t.opening); err != nil {
				return nil, last, err
			}
		}
		if t.end == endAtTerminal && frame.Terminal(f) {
			break
		}
	}
	return frames, last, nil
}

// isIdleAt reports whether the thread has no live run and its log ends with the frame last.
func (r *reader) isIdleAt(last state.FrameID) bool {
	t, _, err := r.g.store.Load(r.req.Context(), r.key)
	return err != nil || t.Live == nil && !last.Less(t.Last)
}

// noteStoreError notes that the store did not answer a call.
func (g *Gateway) noteStoreError() {
	g.outage.NoteError(g.o.StoreBuffer, func() error {
		return calls.Protect(func() error {
			err := g.ping(context.Background())
			if errors.Is(err, state.ErrLater) {
				return nil // it is there
			}
			return err
		})
	})
}
