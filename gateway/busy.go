package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// admit asks the store what the request means until it means something final: a run in the way may have to end
// first. What runs has started when it returns.
func (c *caller) admit(ctx context.Context) (*state.Begun, *attempt, error) {
	waiting, cancel := context.WithCancel(ctx) // a server that is leaving lets nobody wait
	defer cancel()
	defer context.AfterFunc(c.g.taking, cancel)()
	w := wait{c: c, room: reservation{g: c.g}}
	defer w.over()
	for {
		begun, run, err := w.begin(ctx)
		if err != nil || run != nil {
			return begun, run, err
		}
		again, err := w.forTurn(waiting, begun)
		if err != nil && c.g.draining() && ctx.Err() == nil {
			err = &agui.Error{Code: agui.CodeDraining, Err: err}
		}
		if err != nil || !again {
			return begun, nil, err
		}
	}
}

// begin asks once, and starts what runs. Without room for it nothing is begun; but most requests need none.
func (w *wait) begin(ctx context.Context) (*state.Begun, *attempt, error) {
	c, started := w.c, false
	full := w.room.take()
	if full == nil {
		defer w.room.release() // also if the store panics
		if c.g.chains.enter(c.req.Chain, c.req.Hops) {
			defer func() {
				if !started {
					c.g.chains.undo(c.req.Chain, c.req.Hops)
				}
			}()
		} else {
			full = &agui.Error{Code: agui.CodeRemoteLoop}
		}
	}
	c.req.NoRun = full != nil
	asked := time.Now()
	begun, err := c.judge(ctx)
	if err != nil {
		return nil, nil, storeError(err)
	}
	log := c.g.log(c.r)
	for _, text := range begun.Verdict.Warnings {
		log.Warn("input: " + text)
	}
	switch {
	case begun.Verdict.Meaning == state.Full:
		return nil, nil, full
	case !begun.Verdict.Meaning.Runs():
		return begun, nil, nil
	}
	run := c.g.start(c.agent, begun, asked, c.r.Header, log)
	w.room.use()
	started = true
	return begun, run, nil
}

// storeTimeout is how long a store that hangs may keep somebody waiting who can be told to come back later. One that is
// slow and gets on, with many requests at one thread, is given more than that.
const storeTimeout = 2 * time.Second

// judge asks the store. A question whose answer got lost may have begun a run that nobody knows of; so it is asked
// again in the same name, and not given up half way because the client is. A run that was begun all the same is taken
// over like one whose replica died.
func (c *caller) judge(ctx context.Context) (*state.Begun, error) {
	const tries = 3
	o := state.LeaseOptions{Attempt: rand.Text(), TTL: c.g.o.Lease}
	started := time.Now()
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), tries*storeTimeout)
	defer cancel()
	for try := 1; ; try++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		begun, err := c.g.store.Begin(asking, c.req, o)
		if err == nil || final(err) || try == tries || time.Since(started) >= storeTimeout {
			return begun, err
		}
		if err := pause(ctx, lookPause); err != nil {
			return nil, err
		}
	}
}

// A wait is an admission, which may find another run in its way.
type wait struct {
	c     *caller
	room  reservation // for the run that it may begin
	place *place      // in the queue
	looks int         // for a caller that may have hung up
}

// A request that finds a tied run looks again a few times before it is told that the thread is busy: its own
// client may have hung up on that run just now, and the connection's end is noticed a moment later than the next
// request (R4).
const (
	looks     = 5
	lookPause = 20 * time.Millisecond
)

// forTurn waits for what begun says must be waited for, and reports whether to ask again.
func (w *wait) forTurn(ctx context.Context, begun *state.Begun) (again bool, err error) {
	c, busy := w.c, begun.Verdict.Meaning == state.Busy
	switch {
	case begun.Verdict.Meaning == state.Usurp, busy && c.agent.OnBusy == Supersede:
		ended := w.room.follow(begun.Thread)
		if ended == nil { // it leaves no place here
			if err := w.room.take(); err != nil {
				return false, err
			}
		}
		if _, err := c.g.store.Signal(ctx, c.req.Key, begun.Thread.Live.Intent.Origin, state.SignalStop); err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return false, storeError(err)
		}
		return true, w.awaitEnd(ctx, begun.Thread, ended)
	case busy && c.agent.OnBusy == Queue:
		return true, w.queue(ctx, begun.Thread)
	case busy && begun.Thread.Live.Tied && w.looks < looks:
		w.looks++
		return true, pause(ctx, lookPause)
	default:
		return false, nil
	}
}

// queue waits in the queue for the request's turn, and then for the end of the run in its way. The client gets its
// headers and heartbeats; when it is gone, so is its place.
func (w *wait) queue(ctx context.Context, t *state.Thread) error {
	c := w.c
	if w.place == nil {
		p, ok := c.g.queue.enter(c.req.Key, c.g.o.Limits.Queue)
		if !ok {
			return &agui.Error{Code: agui.CodeQueueFull}
		}
		w.place = p
	}
	if err := c.open(); err != nil {
		return err
	}
	defer c.beat()()
	select {
	case <-w.place.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := c.g.awaitEnd(ctx, t); err != nil {
		return err
	}
	return w.room.wait(ctx)
}

// awaitEnd waits for the end of the live run of t and, if it is live here, until it has left its place.
func (w *wait) awaitEnd(ctx context.Context, t *state.Thread, left <-chan struct{}) error {
	if err := w.c.g.awaitEnd(ctx, t); err != nil || left == nil {
		return err
	}
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// over gives up what was waited for.
func (w *wait) over() {
	w.room.release()
	if w.place != nil {
		w.place.leave()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// awaitEnd waits until the live run of t, or its thread, is no more.
func (g *Gateway) awaitEnd(ctx context.Context, t *state.Thread) error {
	for batch, err := range g.store.Tail(ctx, t.Key, t.Last) {
		if errors.Is(err, state.ErrUnknownThread) {
			return nil
		}
		if err != nil {
			return storeError(err)
		}
		for _, f := range batch {
			if terminal(f) {
				return nil
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return &agui.Error{Code: agui.CodeStoreUnavailable, Err: errStoreGone} // the store was closed
}
