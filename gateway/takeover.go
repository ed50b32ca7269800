package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// errAttemptsUsedUp ends a run during which too many attempts have died.
var errAttemptsUsedUp = errors.New("gateway: attempts used up")

// sweep scans immediately, and twice per lease, for runs with expired leases, and continues them here (R2).
func (g *Gateway) sweep() {
	defer close(g.sweepEnded)
	ticker := time.NewTicker(max(g.o.Lease/2, time.Millisecond))
	defer ticker.Stop()
	for away := false; ; {
		more := false
		if err := calls.Protect(func() error { away, more = g.takeOverOverdue(away); return nil }); err != nil {
			calls.WithCause(g.o.Log, err).Error("sweep: panic")
		}
		if more && g.taking.Err() == nil {
			continue
		}
		select {
		case <-g.taking.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweepLimit bounds the runs taken over in one scan: other replicas scan too, and get a share.
const sweepLimit = 100

// takeOverOverdue scans once. It reports whether the store was away, and whether to scan again immediately because
// there may be more runs that this replica has room for: a dead replica leaves up to -max-runs of them. After an outage
// of the store it takes nothing over: leases have expired because no owner could renew them, and the owners are alive.
func (g *Gateway) takeOverOverdue(wasAway bool) (away, more bool) {
	ctx, cancel := context.WithTimeout(g.taking, max(g.o.Lease, time.Second))
	defer cancel()
	keys, err := g.store.Overdue(ctx, sweepLimit)
	if errors.Is(err, state.ErrLater) { // the replicas of the later version take over what ends here
		g.readiness.log(g.o.Log, &errcode.Error{Code: errcode.StoreTooNew, Err: err})
		return true, false
	}
	if err != nil {
		if g.taking.Err() == nil {
			g.o.Log.Warn("sweep: store", "error", err)
			g.noteStoreError()
		}
		return true, false
	}
	if g.outage.Suspected() && g.ping(ctx) != nil { // it can be read but not written, for example because it is full
		return true, false
	}
	g.outage.NoteAnswer()
	if wasAway {
		return false, false
	}
	took := false
	for _, key := range keys {
		var refused error
		err := calls.Protect(func() error {
			taken, err := g.takeOverRun(ctx, key)
			took, refused = took || taken, err
			return nil
		})
		if err != nil {
			calls.WithCause(g.logFor(key.Principal), err).Error("sweep: panic", "agent", key.Agent, "thread", key.ID)
		}
		if refused == nil || g.taking.Err() != nil {
			continue
		}
		g.logFor(key.Principal).Warn("run: not taken over", "agent", key.Agent, "thread", key.ID, "error", refused)
		if g.ping(ctx) != nil {
			g.noteStoreError()
			return true, false
		}
	}
	return false, took && len(keys) >= sweepLimit
}

// takeOverRun continues the overdue run, or delivers the overdue notice, under key if possible.
func (g *Gateway) takeOverRun(ctx context.Context, key state.Key) (taken bool, err error) {
	if key.Agent == webhook.Principal {
		g.webhook.TakeOver(ctx, key)
		return false, nil
	}
	if g.attempt(key) != nil {
		return false, nil // this replica's own, and alive
	}
	agent, overdue := g.agentForTakeover(key)
	defer func() {
		if !taken {
			g.releaseAgent(agent)
		}
	}()
	s := slot{g: g, principal: key.Principal}
	defer s.leave()
	if s.takeForTakeover() != nil {
		return false, nil
	}
	called := time.Now()
	begun, err := g.store.Take(ctx, key, state.LeaseOptions{Attempt: g.o.NewID(), TTL: g.o.Lease, Overdue: overdue})
	if errors.Is(err, state.ErrLeaseLost) || calls.Permanent(err) {
		return false, nil // another replica was faster
	}
	if err != nil {
		return false, err
	}
	g.chains.enter(begun.Thread.Live.Intent.Chain, 0) // without hops there is no limit
	within := telemetry.WithTraceparent(context.Background(), begun.Thread.Live.Intent.Trace)
	run := g.start(agent, begun, called, within, nil, g.logFor(begun.Lease.Key.Principal))
	g.metrics.RunTakenOver(ctx, run.measuredAs)
	s.occupy()
	return true, nil
}

// orphanLeases is for how many leases a run is left to other replicas that may serve its agent, if this one does not.
const orphanLeases = 5

// agentForTakeover acquires the agent for continuing an overdue run here, and returns how long the run has to be
// overdue. A run of an agent that no replica serves any more would stay live for ever: it is taken over to be ended.
func (g *Gateway) agentForTakeover(key state.Key) (agent *servedAgent, overdue time.Duration) {
	if agent, err := g.acquireAgent(key.Agent); err == nil {
		return agent, 0
	}
	ended := func(context.Context, *groupchat.Turn) error { return errAttemptsUsedUp }
	s := newServed(key.Agent, groupchat.AgentFunc(ended), g.o)
	s.removed, s.roster = true, &roster{runs: 1, left: make(chan struct{})}
	return s, orphanLeases * g.o.Lease
}

// errNotTakenOver gives up a run that could not be continued: another attempt, or another replica, may succeed.
var errNotTakenOver = errors.New("gateway: the run could not be taken over")

// takeOver continues the run of a dead attempt. When the attempts are used up it ends the run without executing the
// agent; if that attempt dies too, the next one ends the run without reading its log.
func (a *attempt) takeOver() error {
	last := a.g.o.RunAttempts
	lost := a.agent.removed || a.intent.Attempts > last
	if lost {
		a.agent = a.agent.withoutState()
	}
	if a.intent.Attempts > last+1 {
		a.logUnusable = true
		return errAttemptsUsedUp
	}
	err := calls.Protect(a.continueRun)
	a.logUnusable = a.logUnusable || calls.Panicked(err)
	switch {
	case lost && err != nil:
		calls.WithCause(a.log, err).Error("run: ended without what its log has open")
		return errAttemptsUsedUp
	case lost:
		return errAttemptsUsedUp
	case a.logUnusable:
		return fmt.Errorf("%w: %w", errNotTakenOver, err)
	}
	return err
}

// continueRun returns readers of the run to its last commit: it closes the open items of the log, answers calls that
// will get no other answer, and sends both snapshots, which withdraw uncommitted output. The turn is then repeated.
func (a *attempt) continueRun() error {
	if !a.inLog() {
		return a.startRun() // the attempt before died before its first event
	}
	if err := a.replay(); err != nil {
		a.logUnusable = true
		return err
	}
	t := a.thread.Load()
	if err := a.openDocument(t); err != nil {
		return err
	}
	if err := a.closeOpen(errcode.RunMoved); err != nil {
		return err
	}
	// the calls of the turn that is withdrawn
	if err := a.answerOpenCalls(string(errcode.RunMoved)); err != nil {
		return err
	}
	if err := a.showState(); err != nil {
		return err
	}
	kept, err := a.messages(t.Rev)
	if err != nil {
		return err
	}
	if err := a.run.Emit(&agui.MessagesSnapshot{Messages: kept}); err != nil {
		return err
	}
	a.run.Inspect((*run.View).Mark)
	return nil
}

// replay makes the run's writer continue from the end of the log.
func (a *attempt) replay() error {
	frames, err := a.runFrames()
	if err != nil {
		return err
	}
	base, err := a.messages(frames[0].Rev)
	if err != nil {
		return err
	}
	a.run = a.newRun(run.NewView(base, nil))
	var decoder frame.Decoder
	var skipped frame.Malformed
	defer skipped.Log(a.log)
	for _, f := range frames {
		if f.Type == state.TypeTrace {
			continue
		}
		// a writer's view has no state
		e, err := decoder.Event(f, a.messages, func(int64) (json.RawMessage, error) { return nil, nil })
		if err == nil {
			a.rec.NotBefore(agui.BaseOf(e).Timestamp)
			err = a.run.Replay(e)
		}
		if skipped.Skip(f, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("gateway: log of run %d: frame %s: %w", a.intent.Origin, f.ID, err)
		}
	}
	a.trace.begin(frames)
	return nil
}

// inLog reports whether the log has an event of the run.
func (a *attempt) inLog() bool {
	return state.FrameID{Fence: a.intent.Origin}.Less(a.thread.Load().Last)
}

// runFrames returns all frames of the run, which has some. Its former owner can append no more of them.
func (a *attempt) runFrames() ([]state.Frame, error) {
	last := a.thread.Load().Last
	var frames []state.Frame
	for batch, err := range a.g.tail(a.ctx, a.lease.Key, state.FrameID{Fence: a.intent.Origin}) {
		if err != nil {
			return nil, err
		}
		frames = append(frames, batch...)
		if !frames[len(frames)-1].ID.Less(last) {
			return frames, nil
		}
	}
	return nil, context.Cause(a.ctx)
}
