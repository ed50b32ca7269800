package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// errLost ends a run that too many attempts have died of.
var errLost = errors.New("gateway: attempts used up")

// sweep looks twice per lease for runs that nobody owns any more, on whichever replica they were, and goes on with
// them here (R2). It ends with the gateway.
func (g *Gateway) sweep() {
	defer close(g.swept)
	ticker := time.NewTicker(max(g.o.Lease/2, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-g.taking.Done():
			return
		case <-ticker.C:
			g.takeOverdue()
		}
	}
}

// sweepLimit is how many runs one look takes over; the others are some other replica's, or the next look's.
const sweepLimit = 100

func (g *Gateway) takeOverdue() {
	ctx, cancel := context.WithTimeout(g.taking, max(g.o.Lease, time.Second))
	defer cancel()
	keys, err := g.store.Overdue(ctx, sweepLimit)
	if err != nil {
		if g.taking.Err() == nil {
			g.o.Log.Warn("sweep: store", "error", err)
			g.away()
		}
		return
	}
	g.outage.back()
	for _, key := range keys {
		if key.Agent == outbox {
			g.webhook.take(ctx, key)
			continue
		}
		if g.attempt(key) != nil {
			continue // ours: late, and not dead
		}
		agent := g.heir(ctx, key)
		if agent == nil {
			continue
		}
		if g.reserve() != nil {
			return
		}
		begun, err := g.store.Take(ctx, key, state.LeaseOptions{Attempt: g.o.NewID(), TTL: g.o.Lease})
		if err != nil {
			g.unreserve()
			continue // another replica was faster, or the store is away
		}
		g.o.Log.Info("run: taken over", "agent", key.Agent, "thread", key.ID, "attempt", begun.Thread.Live.Intent.Attempts)
		g.chains.rejoin(begun.Thread.Live.Intent.Chain)
		g.start(agent, begun, nil, g.o.Log)
	}
}

// orphanLeases is for how many leases a run is left to the replicas that may serve its agent, where this one does not.
const orphanLeases = 5

// heir is the agent that an overdue run goes on with here; nil leaves it to others. One whose agent nobody serves any more
// would be live for ever, and its readers wait for ever: it is taken over to be ended (S1).
func (g *Gateway) heir(ctx context.Context, key state.Key) *served {
	if agent := g.roster.Load().agents[key.Agent]; agent != nil {
		return agent
	}
	t, _, err := g.store.Load(ctx, key)
	if err != nil || t.Live == nil || g.o.Now().Sub(t.Live.Until) < orphanLeases*g.o.Lease {
		return nil
	}
	s := serve(key.Agent, groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return errLost }), g.o)
	s.gone, s.roster = true, &roster{left: make(chan struct{})}
	return s
}

// goOn brings the run of a dead replica to where its last commit was: what its log has open is closed, calls that
// will not be answered say so, and both snapshots withdraw what was shown and not kept. The turn is then repeated.
func (a *attempt) goOn() error {
	frames, err := a.logged()
	if err != nil || len(frames) == 0 {
		return errors.Join(err, a.begin()) // it died before anybody saw it
	}
	t := a.thread.Load()
	base, err := a.messages(frames[0].Rev)
	if err != nil {
		return errors.Join(err, a.begin())
	}
	a.run = a.newRun(base)
	var skipped malformedFrames
	defer skipped.log(a.log)
	for _, f := range frames {
		e, err := eventOf(f, a.messages)
		if err == nil {
			err = a.run.Replay(e)
		}
		if skipped.skips(f, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("gateway: log of run %d: frame %s: %w", a.intent.Origin, f.ID, err)
		}
	}
	if err := a.open(t); err != nil {
		return err
	}
	code := agui.CodeRunMoved
	if err := a.run.CloseOpen(agui.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()}); err != nil {
		return err
	}
	if err := a.moveCalls(code); err != nil {
		return err
	}
	if err := a.run.Emit(&agui.StateSnapshot{Snapshot: a.doc.JSON()}); err != nil {
		return err
	}
	kept, err := a.messages(t.Rev)
	if err != nil {
		return err
	}
	if err := a.run.Emit(&agui.MessagesSnapshot{Messages: kept}); err != nil {
		return err
	}
	a.run.Inspect((*agui.View).Mark)
	return nil
}

// logged is all that the log has of the run. Its former owner can add nothing to it any more.
func (a *attempt) logged() ([]agui.Frame, error) {
	last := a.thread.Load().Last
	from := agui.FrameID{Fence: a.intent.Origin}
	if !from.Less(last) {
		return nil, nil
	}
	var frames []agui.Frame
	for batch, err := range a.g.tail(a.ctx, a.lease.Key, from) {
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

// moveCalls gives the calls of the turn that is withdrawn a result, so that no reader waits for one.
func (a *attempt) moveCalls(code agui.Code) error {
	var open []agui.ToolCall
	a.run.Inspect(func(v *agui.View) { open = v.OpenCalls() })
	for _, c := range open {
		err := a.run.Emit(&agui.ToolCallResult{
			MessageID: a.g.o.NewID(), ToolCallID: c.ID, Role: agui.RoleTool, Content: agui.TextContent(string(code)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
