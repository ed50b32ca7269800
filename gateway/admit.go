package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// An admission is a request on its way to its verdict. It may find another run in its way, and wait for that.
type admission struct {
	g   *Gateway
	r   *http.Request
	req *state.Request
	// agent is the agent that was served under its name at the last call of the store.
	agent *servedAgent
	// reader is the stream that answers the request; nil if JSON does.
	reader *reader

	slot   slot  // for the run that may start
	full   error // why no run could start at the last call of the store
	queued bool  // the request has a place in the thread's queue
	tries  int   // tries while a tied run, perhaps without a client, is in the way
	// since is when the request began to wait, the zero time if it never did.
	since time.Time
}

// admit calls the store until the verdict is final. If the request begins a run, it has started when admit returns.
func (a *admission) admit(ctx context.Context) (begun *state.Begun, run *attempt, err error) {
	if err := a.agent.checkForwarded(a.r.Header); err != nil {
		return nil, nil, err
	}
	waiting, cancel := context.WithCancel(ctx) // a draining gateway cancels all waits
	defer cancel()
	defer context.AfterFunc(a.g.taking, cancel)()
	a.slot.g, a.slot.principal = a.g, a.req.Key.Principal
	defer func() { a.leaveQueues(run) }()
	for {
		begun, run, err = a.begin(ctx)
		if err != nil || run != nil {
			return begun, run, err
		}
		again, err := a.wait(waiting, begun)
		if err != nil && a.g.draining() && ctx.Err() == nil {
			err = &errcode.Error{Code: errcode.Draining, Err: err}
		}
		if err != nil || !again {
			return begun, nil, err
		}
	}
}

// begin makes one call of the store and starts the run that it begins, with the agent that is served now: agents may
// have been replaced during a wait. Without a slot no run begins, but most requests need none.
func (a *admission) begin(ctx context.Context) (*state.Begun, *attempt, error) {
	started := false
	agent, err := a.g.acquireAgent(a.agent.name)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if !started {
			a.g.releaseAgent(agent)
		}
	}()
	if !agent.allows(route.Caller(a.r)) { // the agents may have been replaced since the request arrived
		return nil, nil, unknownAgent(agent.name)
	}
	a.agent = agent
	agent.setOptions(a.req, a.g.o)
	a.full = a.slot.take()
	if a.full == nil {
		defer a.slot.release() // also if the store panics
		if a.g.chains.enter(a.req.Chain, a.req.Hops) {
			defer func() {
				if !started {
					a.g.chains.undo(a.req.Chain, a.req.Hops)
				}
			}()
		} else {
			a.full = limit.Reached(limit.Hops, &errcode.Error{Code: errcode.RemoteLoop})
		}
	}
	a.req.NoRun, a.req.MaxStored = a.full != nil, a.g.o.Limits.StoredPerPrincipal
	a.req.Trace = telemetry.Traceparent(ctx)
	called := time.Now()
	begun, err := a.askStore(ctx)
	if err != nil {
		return nil, nil, route.StoreError(err)
	}
	log := a.g.log(a.r)
	for _, text := range begun.Verdict.Warnings {
		log.Warn("input: " + text)
	}
	if !begun.Verdict.Meaning.Runs() {
		return begun, nil, nil
	}
	run := a.g.start(agent, begun, called, a.r.Context(), a.r.Header, log)
	a.slot.occupy()
	started = true
	a.g.auditBegun(a.r, begun)
	return begun, run, nil
}

// askStore calls [state.Store]'s Begin. A call that lost its reply may have begun a run, so it is retried with the same
// name, even if the client disconnects. A begun run that stays unknown here is taken over like that of a dead replica.
func (a *admission) askStore(ctx context.Context) (*state.Begun, error) {
	const tries = 3
	o := state.LeaseOptions{Attempt: rand.Text(), TTL: a.g.o.Lease}
	started := time.Now()
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), tries*calls.StoreTimeout)
	defer cancel()
	for try := 1; ; try++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		begun, err := a.g.store.Begin(asking, a.req, o)
		if err == nil || calls.Permanent(err) || try == tries || time.Since(started) >= calls.StoreTimeout {
			return begun, err
		}
		if err := wait.For(ctx, tryPause); err != nil {
			return nil, err
		}
	}
}

// A request that finds a tied run is retried a few times before the client gets a busy error: the client may just have
// hung up on that run, and the closed connection is noticed slightly later than its next request (R4).
const (
	maxTries = 5
	tryPause = 20 * time.Millisecond
)

// wait waits for the obstacle in begun and reports whether to retry. It fails if the thread was replaced.
func (a *admission) wait(ctx context.Context, begun *state.Begun) (again bool, err error) {
	meaning := begun.Verdict.Meaning
	inTheWay := meaning == state.Busy && begun.Verdict.Code == errcode.RunInProgress
	if begun.Exists {
		a.req.Since = begun.Thread.CreatedAt
	}
	switch {
	case meaning == state.Full && a.queued && errcode.Of(a.full) == errcode.Overloaded:
		return true, a.awaitSlot(ctx)
	case meaning == state.Full:
		return false, a.full
	case meaning == state.Queued:
		a.queued = true
		if !a.slot.mayWait() {
			return false, a.full
		}
		return true, a.awaitTurn(ctx)
	case meaning == state.Preempt, inTheWay && a.agent.OnBusy == Supersede:
		if err := a.g.limits.checkTokens(a.req.Key.Principal); err != nil {
			return false, err // before a run is ended in vain
		}
		return true, a.supersede(ctx, begun.Thread)
	case inTheWay && begun.Thread.Live.Tied && a.tries < maxTries:
		a.tries++
		return true, wait.For(ctx, tryPause)
	default:
		return false, nil
	}
}

// keepAlive opens the stream that answers the request, if one does, and keeps it alive until stop is called.
func (a *admission) keepAlive() (stop func(), err error) {
	if a.reader == nil {
		return func() {}, nil
	}
	if err := a.reader.open(); err != nil {
		return nil, err
	}
	return a.reader.keepAlive(), nil
}

// waits counts the request as one that waits, until done is called.
func (a *admission) waits() (done func()) {
	if a.since.IsZero() {
		a.since = time.Now()
	}
	a.g.queued.Add(1)
	return func() { a.g.queued.Add(-1) }
}

// awaitTurn waits in the thread's queue until the client disconnects, which gets headers and heartbeats.
func (a *admission) awaitTurn(ctx context.Context) error {
	defer a.waits()()
	stop, err := a.keepAlive()
	if err != nil {
		return err
	}
	defer stop()
	var until time.Time // when a store that is away is given up
	for {
		called := time.Now()
		err := a.g.store.Await(ctx, a.req.Key, a.req.Wait.Ticket, a.req.Wait.TTL)
		switch {
		case err == nil || errors.Is(err, state.ErrUnknownThread):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case calls.Permanent(err):
			return route.StoreError(err)
		case until.IsZero() || time.Since(called) > calls.StoreTimeout: // it was there in between
			until = time.Now().Add(a.g.o.StoreBuffer)
		case time.Now().After(until):
			return route.StoreError(err)
		}
		a.g.noteStoreError()
		if err := wait.For(ctx, tailPause); err != nil {
			return err
		}
	}
}

// awaitSlot waits for a slot, and keeps the place in the thread's queue until then.
func (a *admission) awaitSlot(ctx context.Context) error {
	defer a.waits()()
	stop, err := a.keepAlive()
	if err != nil {
		return err
	}
	defer stop()
	taken, err := a.slot.enqueue()
	if err != nil {
		return err
	}
	renew := time.NewTicker(max(a.req.Wait.TTL/3, time.Millisecond))
	defer renew.Stop()
	for {
		select {
		case <-taken:
			return nil
		case <-renew.C:
			asking, cancel := context.WithTimeout(ctx, calls.StoreTimeout)
			err := a.g.store.Await(asking, a.req.Key, a.req.Wait.Ticket, a.req.Wait.TTL)
			cancel()
			if errors.Is(err, state.ErrUnknownThread) {
				return nil // the next askStore finds that out
			}
		case <-ctx.Done(): // leaveQueues gives the wait for a slot up
			return context.Cause(ctx)
		}
	}
}

// supersede stops the live run of t and waits for its end. A run that is live here leaves its slot to the request.
func (a *admission) supersede(ctx context.Context, t *state.Thread) error {
	ended := a.slot.inherit(t)
	if ended == nil { // no slot becomes free here
		if err := a.slot.take(); err != nil {
			return err
		}
	}
	stopped, err := a.g.store.Signal(ctx, a.req.Key, t.Live.Intent.Origin, state.SignalStop)
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		return route.StoreError(err)
	}
	if stopped {
		a.g.audit(a.r, a.req.Key, AuditEntry{Action: AuditStopped})
	}
	if err := awaitEnd(ctx, a.g.store, t); err != nil || ended == nil {
		return err
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leaveQueues frees the request's place in the queue, unless run began with it, and its slot.
func (a *admission) leaveQueues(run *attempt) {
	a.slot.leave()
	if !a.since.IsZero() {
		a.g.metrics.QueueWait(a.r.Context(), time.Since(a.since))
	}
	if !a.queued || run != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.r.Context()), calls.StoreTimeout)
	defer cancel()
	if err := a.g.store.Leave(ctx, a.req.Key, a.req.Wait.Ticket); err != nil &&
		!errors.Is(err, state.ErrUnknownThread) {
		a.g.log(a.r).Warn("run: place in the queue not given up, it expires", "error", err)
	}
}

// answerFailure answers a request that failed in admission, for example because the gateway drains or has no free slot:
// with an HTTP error, or inside the stream if that is open. Some profiles get the answered questions again.
func (a *admission) answerFailure(err error) error {
	client, code := a.reader, errcode.Of(err)
	switch {
	case a.r.Context().Err() != nil:
		return err
	case client.stream != nil:
		a.g.noteLimit(err)
		return client.sendError(code)
	case !client.profile.AskAgain || len(a.req.Answers) == 0:
		return err
	}
	t, interrupts, loadErr := a.g.store.Load(a.r.Context(), a.req.Key)
	if loadErr != nil {
		return err
	}
	a.g.noteLimit(err)
	return client.refuse(&state.Begun{
		Verdict: state.Verdict{Meaning: state.Refuse, Code: code}, Thread: t, Interrupts: interrupts, Exists: true,
	})
}

// awaitEnd waits until the live run of t has ended, or its thread was deleted.
func awaitEnd(ctx context.Context, store state.Store, t *state.Thread) error {
	for batch, err := range store.Tail(ctx, t.Key, t.Last) {
		if errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrTrimmed) {
			return nil // only ended runs are trimmed
		}
		if err != nil {
			return route.StoreError(err)
		}
		for _, f := range batch {
			if frame.Terminal(f) {
				return nil
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return &errcode.Error{Code: errcode.StoreUnavailable, Err: errStoreGone} // the store was closed
}
