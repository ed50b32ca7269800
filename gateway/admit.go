package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// admit asks the store what the request means until it means something final: a run in the way may have to end
// first. What runs has started when it returns.
func (c *caller) admit(ctx context.Context) (begun *state.Begun, run *attempt, err error) {
	waiting, cancel := context.WithCancel(ctx) // a server that is leaving lets nobody wait
	defer cancel()
	defer context.AfterFunc(c.g.taking, cancel)()
	w := wait{c: c, room: reservation{g: c.g}}
	defer func() { w.over(run) }()
	for {
		begun, run, err = w.begin(ctx)
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

// begin asks once, and starts what runs: with the agent that is served now, for the request may have waited. Without
// room for it nothing is begun; but most requests need none.
func (w *wait) begin(ctx context.Context) (*state.Begun, *attempt, error) {
	c, started := w.c, false
	agent, err := c.g.enlist(c.agent.name)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if !started {
			c.g.dismiss(agent)
		}
	}()
	c.agent = agent
	agent.setOptions(c.req, c.g.o)
	w.full = w.room.take()
	if w.full == nil {
		defer w.room.release() // also if the store panics
		if c.g.chains.enter(c.req.Chain, c.req.Hops) {
			defer func() {
				if !started {
					c.g.chains.undo(c.req.Chain, c.req.Hops)
				}
			}()
		} else {
			w.full = &agui.Error{Code: agui.CodeRemoteLoop}
		}
	}
	c.req.NoRun = w.full != nil
	asked := time.Now()
	begun, err := c.judge(ctx)
	if err != nil {
		return nil, nil, route.StoreError(err)
	}
	log := c.g.log(c.r)
	for _, text := range begun.Verdict.Warnings {
		log.Warn("input: " + text)
	}
	if !begun.Verdict.Meaning.Runs() {
		return begun, nil, nil
	}
	run := c.g.start(agent, begun, asked, c.r.Header, log)
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
	c      *caller
	room   reservation // for the run that it may begin
	full   error       // why there was no room when the store was asked
	queued bool        // the request has a place in the thread's queue
	looks  int         // for a caller that may have hung up
}

// A request that finds a tied run looks again a few times before it is told that the thread is busy: its own
// client may have hung up on that run just now, and the connection's end is noticed a moment later than the next
// request (R4).
const (
	looks     = 5
	lookPause = 20 * time.Millisecond
)

// forTurn waits for what begun says must be waited for, and reports whether to ask again: about this thread, and no
// other that has its name by then.
func (w *wait) forTurn(ctx context.Context, begun *state.Begun) (again bool, err error) {
	c, meaning := w.c, begun.Verdict.Meaning
	inTheWay := meaning == state.Busy && begun.Verdict.Code == agui.CodeRunInProgress
	if begun.Exists {
		c.req.Since = begun.Thread.CreatedAt
	}
	switch {
	case meaning == state.Full && w.queued && agui.CodeOf(w.full) == agui.CodeOverloaded:
		return true, w.awaitRoom(ctx)
	case meaning == state.Full:
		return false, w.full
	case meaning == state.Queued:
		w.queued = true
		return true, c.awaitTurn(ctx)
	case meaning == state.Preempt, inTheWay && c.agent.OnBusy == Supersede:
		ended := w.room.follow(begun.Thread)
		if ended == nil { // it leaves no place here
			if err := w.room.take(); err != nil {
				return false, err
			}
		}
		if _, err := c.g.store.Signal(ctx, c.req.Key, begun.Thread.Live.Intent.Origin, state.SignalStop); err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return false, route.StoreError(err)
		}
		return true, w.awaitEnd(ctx, begun.Thread, ended)
	case inTheWay && begun.Thread.Live.Tied && w.looks < looks:
		w.looks++
		return true, pause(ctx, lookPause)
	default:
		return false, nil
	}
}

// awaitTurn waits in the thread's queue. The client gets its headers and heartbeats; when it is gone, so is its place. A
// store that is away is waited for.
func (c *caller) awaitTurn(ctx context.Context) error {
	if err := c.open(); err != nil {
		return err
	}
	defer c.beat()()
	var until time.Time // when a store that is away is given up
	for {
		asked := time.Now()
		err := c.g.store.Await(ctx, c.req.Key, c.req.Wait.Ticket, c.req.Wait.TTL)
		switch {
		case err == nil || errors.Is(err, state.ErrUnknownThread):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case final(err):
			return route.StoreError(err)
		case until.IsZero() || time.Since(asked) > storeTimeout: // it was there in between
			until = time.Now().Add(c.g.o.StoreBuffer)
		case time.Now().After(until):
			return route.StoreError(err)
		}
		c.g.away()
		if err := pause(ctx, tailPause); err != nil {
			return err
		}
	}
}

// awaitRoom waits for a place among the runs that may be live here, and keeps the one in the thread's queue until then.
func (w *wait) awaitRoom(ctx context.Context) error {
	c := w.c
	defer c.beat()()
	given, err := w.room.ask()
	if err != nil {
		return err
	}
	renew := time.NewTicker(max(c.req.Wait.TTL/3, time.Millisecond))
	defer renew.Stop()
	for {
		select {
		case <-given:
			return nil
		case <-renew.C:
			asking, cancel := context.WithTimeout(ctx, storeTimeout)
			err := c.g.store.Await(asking, c.req.Key, c.req.Wait.Ticket, c.req.Wait.TTL)
			cancel()
			if errors.Is(err, state.ErrUnknownThread) {
				return nil // as the store says when it is asked again
			}
		case <-ctx.Done(): // over takes it off the list of those who ask
			return context.Cause(ctx)
		}
	}
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

// over gives up what was waited for: the place in the queue, unless run began with it, and the one among the live runs.
func (w *wait) over(run *attempt) {
	w.room.release()
	if !w.queued || run != nil {
		return
	}
	c := w.c
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), storeTimeout)
	defer cancel()
	if err := c.g.store.Leave(ctx, c.req.Key, c.req.Wait.Ticket); err != nil && !errors.Is(err, state.ErrUnknownThread) {
		c.g.log(c.r).Warn("run: place in the queue not given up, it expires", "error", err)
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
		if errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrTrimmed) {
			return nil // only what is over is trimmed
		}
		if err != nil {
			return route.StoreError(err)
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
