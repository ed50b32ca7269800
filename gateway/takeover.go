package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// errAttemptsUsedUp ends a run that too many attempts have died of.
var errAttemptsUsedUp = errors.New("gateway: attempts used up")

// sweep looks at once, and then twice per lease, for runs that nobody owns any more, on whichever replica they were, and
// goes on with them here (R2). It ends with the gateway.
func (g *Gateway) sweep() {
	defer close(g.sweepEnded)
	ticker := time.NewTicker(max(g.o.Lease/2, time.Millisecond))
	defer ticker.Stop()
	for away := false; ; {
		if err := protect(func() error { away = g.takeOverOverdue(away); return nil }); err != nil {
			withCause(g.o.Log, err).Error("sweep: panic")
		}
		select {
		case <-g.taking.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweepLimit is how many runs one look takes over; the others are some other replica's, or the next look's.
const sweepLimit = 100

// takeOverOverdue looks once, and reports whether the store was away. If it was the last time, nothing is taken: leases ran out
// that nobody could renew, and their owners are there to go on.
func (g *Gateway) takeOverOverdue(wasAway bool) (away bool) {
	ctx, cancel := context.WithTimeout(g.taking, max(g.o.Lease, time.Second))
	defer cancel()
	keys, err := g.store.Overdue(ctx, sweepLimit)
	if err != nil {
		if g.taking.Err() == nil {
			g.o.Log.Warn("sweep: store", "error", err)
			g.noteStoreError()
		}
		return true
	}
	if g.outage.suspected() && g.ping(ctx) != nil { // it can be read, but takes no writes: it is full, for one
		return true
	}
	g.outage.noteAnswer()
	if wasAway {
		return false
	}
	for _, key := range keys {
		var refused error
		err := protect(func() error { refused = g.takeOverRun(ctx, key); return nil })
		if err != nil {
			withCause(g.o.Log, err).Error("sweep: panic", "agent", key.Agent, "thread", key.ID)
		}
		if refused == nil || g.taking.Err() != nil {
			continue
		}
		g.o.Log.Warn("run: not taken over", "agent", key.Agent, "thread", key.ID, "error", refused)
		if g.ping(ctx) != nil {
			g.noteStoreError()
			return true
		}
	}
	return false
}

// takeOverRun goes on with what is overdue under key, if it can be done here. It fails if the store did not let it.
func (g *Gateway) takeOverRun(ctx context.Context, key state.Key) error {
	if key.Agent == webhookPrincipal {
		g.webhook.takeOver(ctx, key)
		return nil
	}
	if g.attempt(key) != nil {
		return nil // ours: late, and not dead
	}
	agent, overdue := g.agentForTakeover(key)
	taken := false
	defer func() {
		if !taken {
			g.releaseAgent(agent)
		}
	}()
	s := slot{g: g}
	defer s.release()
	if s.take() != nil {
		return nil
	}
	asked := time.Now()
	begun, err := g.store.Take(ctx, key, state.LeaseOptions{Attempt: g.o.NewID(), TTL: g.o.Lease, Overdue: overdue})
	if errors.Is(err, state.ErrLeaseLost) || permanent(err) {
		return nil // another replica was faster
	}
	if err != nil {
		return err
	}
	g.chains.rejoin(begun.Thread.Live.Intent.Chain)
	g.start(agent, begun, asked, nil, g.o.Log)
	s.occupy()
	taken = true
	return nil
}

// orphanLeases is for how many leases a run is left to the replicas that may serve its agent, where this one does not.
const orphanLeases = 5

// agentForTakeover is the agent that an overdue run goes on with here, enlisted, and for how long it is left to others before. One
// whose agent nobody serves any more would be live for ever, and its readers wait for ever: it is taken over to be ended
// (S1).
func (g *Gateway) agentForTakeover(key state.Key) (agent *served, overdue time.Duration) {
	if agent, err := g.acquireAgent(key.Agent); err == nil {
		return agent, 0
	}
	s := newServed(key.Agent, groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return errAttemptsUsedUp }), g.o)
	s.removed, s.roster = true, &roster{runs: 1, left: make(chan struct{})}
	return s, orphanLeases * g.o.Lease
}

// errNotTakenOver is why a run is given back that could not be taken over: another attempt, or another replica, may do better.
var errNotTakenOver = errors.New("gateway: the run could not be taken over")

// takeOver goes on with the run of an attempt that died, but not for ever with one that attempts die of. When they are
// used up the run is ended, with none of the agent's own code; if that attempt dies as well, without the run's log.
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
	err := protect(a.continueRun)
	a.logUnusable = a.logUnusable || panicked(err)
	switch {
	case lost && err != nil:
		withCause(a.log, err).Error("run: lost without a word of what it said last")
		return errAttemptsUsedUp
	case lost:
		return errAttemptsUsedUp
	case a.logUnusable:
		return fmt.Errorf("%w: %w", errNotTakenOver, err)
	}
	return err
}

// continueRun brings the run of a dead replica to where its last commit was: what its log has open is closed, calls that
// will not be answered say so, and both snapshots withdraw what was shown and not kept. The turn is then repeated.
func (a *attempt) continueRun() error {
	if !a.inLog() {
		return a.startRun() // it died before anybody saw it
	}
	if err := a.replay(); err != nil {
		a.logUnusable = true
		return err
	}
	t := a.thread.Load()
	if err := a.openDocument(t); err != nil {
		return err
	}
	code := agui.CodeRunMoved
	if err := a.run.CloseOpen(run.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()}); err != nil {
		return err
	}
	if err := a.closeCalls(code); err != nil {
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

// replay makes the run's writer as the log leaves it.
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
	var skipped malformedFrames
	defer skipped.log(a.log)
	for _, f := range frames {
		e, err := eventOf(f, a.messages, func(int64) (json.RawMessage, error) { return nil, nil }) // the view has no state
		if err == nil {
			err = a.run.Replay(e)
		}
		if skipped.skip(f, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("gateway: log of run %d: frame %s: %w", a.intent.Origin, f.ID, err)
		}
	}
	return nil
}

// inLog reports whether the log has anything of the run.
func (a *attempt) inLog() bool {
	return state.FrameID{Fence: a.intent.Origin}.Less(a.thread.Load().Last)
}

// runFrames is all that the log has of the run, which has started. Its former owner can add nothing to it any more.
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

// closeCalls gives the calls of the turn that is withdrawn a result, so that no reader waits for one.
func (a *attempt) closeCalls(code agui.Code) error {
	var open []agui.ToolCall
	a.run.Inspect(func(v *run.View) { open = v.OpenCalls() })
	for _, c := range open {
		err := a.run.Emit(&agui.ToolCallResult{
			MessageID: a.ids.newID(), ToolCallID: c.ID, Role: agui.RoleTool, Content: agui.TextContent(string(code)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
