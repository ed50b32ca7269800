package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// end brings the run to its end, whichever it is: the last commit, with the terminal event, in one step.
func (a *attempt) end(result host.Result, err error) {
	a.detachAgent()
	defer a.keep.Unlock()
	switch {
	case errors.Is(err, errLeaseLost) || a.rec.lost():
		a.log.Warn("run: lease lost")
		return // it is another's run now; its readers follow the store
	case errors.Is(err, errDraining) && a.g.o.Shared:
		a.handOver()
		return
	case errors.Is(err, errStranded):
		a.surrender(err)
		return
	case errors.Is(err, errStopped):
		err = a.stopped()
	case err != nil:
		err = a.failed(err)
	case result.Pause != nil && len(result.Pause.Interrupts) > 0:
		err = a.interrupted(result)
	default:
		err = a.succeeded(result)
	}
	if err != nil && !a.rec.lost() {
		err = a.failed(err)
	}
	if err != nil {
		a.surrender(err)
		return
	}
	a.logEnd()
}

// detachAgent takes the run away from its agent, which may still be at work, and holds keep.
func (a *attempt) detachAgent() {
	a.keep.Lock()
	a.over = true
	if a.run != nil { // it is nil if the log could not be read
		a.run = a.run.Handover()
	}
	a.state = a.differing() // what an agent left behind does to it from now on is not shown, and not kept
}

// handOver gives the run to another replica: what was said is in the log, and its lease is over.
func (a *attempt) handOver() {
	a.rec.flush()
	if err := a.release(); err != nil {
		a.log.Error("run: lease not released", "error", err)
		return
	}
	a.log.Info("run: handed over")
}

// release gives the lease back, for another attempt to begin at once. A store that hangs finds out by itself.
func (a *attempt) release() error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return protect(func() error { return a.g.store.Release(ctx, a.lease) })
}

// surrender gives the run up: nothing more can be written, and whoever reads it is told by the store.
func (a *attempt) surrender(err error) {
	if a.rec.lost() {
		a.log.Warn("run: lease lost")
		return
	}
	withCause(a.log, err).Error("run: given up")
	if err = a.release(); err != nil {
		withCause(a.log, err).Error("run: lease not released")
	}
}

// restate shows state and conversation as they are about to be committed.
func (a *attempt) restate() error {
	if err := a.run.RestateState(); err != nil {
		return err
	}
	return a.run.Restate()
}

func (a *attempt) succeeded(result host.Result) error {
	c := state.Commit{End: &state.End{Status: state.RunSuccess}}
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if result.Pause != nil { // frontend calls alone: a success that names them, which the client goes on from
		c.Checkpoint, c.Calls = result.Checkpoint, result.Pause.Calls
	}
	return a.finish(c, outcome, result.Closings)
}

func (a *attempt) interrupted(result host.Result) error {
	tokens := make([]state.Token, 0, len(result.Pause.Interrupts))
	shown := make([]agui.Interrupt, 0, len(result.Pause.Interrupts))
	for _, i := range result.Pause.Interrupts {
		ttl := i.TTL
		if ttl <= 0 {
			ttl = a.agent.InterruptTTL
		}
		// What clients are shown has no fractions, and the deadline must not be earlier than what they see.
		expires := a.clock.now().Add(ttl + time.Second - 1).UTC().Truncate(time.Second)
		if !i.Until.IsZero() && i.Until.Before(expires) {
			expires = i.Until.UTC().Truncate(time.Second)
		}
		i.ExpiresAt = expires.Format(time.RFC3339)
		tokens = append(tokens, state.Token{Interrupt: i.Interrupt, ExpiresAt: expires, Status: state.TokenOpen})
		shown = append(shown, i.Interrupt)
	}
	c := state.Commit{
		Checkpoint: result.Checkpoint, Tokens: tokens, Calls: result.Pause.Calls,
		End: &state.End{Status: state.RunInterrupt},
	}
	n := a.g.webhook.newNotice(a, shown, tokens)
	a.g.webhook.keep(n)
	err := a.finish(c, &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: shown}, result.Closings)
	if err != nil {
		a.g.webhook.forget(n)
	} else if n != nil {
		a.g.webhook.tell(n)
	}
	return err
}

// stopped ends a run that was stopped: what was said stays, as far as it went, and the state as it is. Calls
// nobody will answer any more get a result, so that the next turn finds none without.
func (a *attempt) stopped() error {
	a.rec.hold()
	code := agui.CodeCancelled
	if err := a.run.CloseOpen(run.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()}); err != nil {
		return err
	}
	var open []agui.ToolCall
	a.run.Inspect(func(v *run.View) { open = v.OpenCalls() })
	for _, call := range open {
		if err := a.settle(call.ID); err != nil {
			return err
		}
	}
	if err := a.settleBound(); err != nil {
		return err
	}
	if err := a.restate(); err != nil {
		return err
	}
	usage := a.usage.Total()
	if err := a.run.Finish(&agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeCancelled}, Usage: usage}); err != nil {
		return err
	}
	return a.commit(state.Commit{
		State: a.state, Messages: a.changed(), End: &state.End{Status: state.RunCancelled, Code: code, Usage: usage},
	})
}

// settle gives a call that nobody will answer its result.
func (a *attempt) settle(call string) error {
	return a.run.Emit(&agui.ToolCallResult{
		MessageID: a.ids.newID(), ToolCallID: call, Role: agui.RoleTool, Content: agui.TextContent(state.NotAnswered),
	})
}

// settleBound settles the calls that the questions of this run were about and that it did not get to.
func (a *attempt) settleBound() error {
	open := map[string]bool{}
	for _, q := range a.intent.Questions {
		if q.ToolCallID != "" {
			open[q.ToolCallID] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	made := map[string]bool{} // a question may name a call that is not, or no longer, part of the conversation
	a.run.Inspect(func(v *run.View) {
		for _, m := range v.Messages() {
			delete(open, m.ToolCallID)
			for _, c := range m.ToolCalls {
				made[c.ID] = true
			}
		}
	})
	for _, q := range a.intent.Questions {
		if !open[q.ToolCallID] || !made[q.ToolCallID] {
			continue
		}
		delete(open, q.ToolCallID)
		if err := a.settle(q.ToolCallID); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a run that came to its end by itself: the snapshots, what closes after them, the terminal event.
func (a *attempt) finish(c state.Commit, outcome *agui.Outcome, closings []agui.Event) error {
	a.rec.hold()
	if err := a.restate(); err != nil {
		return err
	}
	for _, e := range closings {
		if err := a.run.Emit(e); err != nil {
			return err
		}
	}
	a.ending = a.newEnding()
	a.ending.Open = outcome.Interrupts
	c.End.Usage = a.usage.Total()
	if err := a.run.Finish(&agui.RunFinished{Outcome: outcome, Usage: c.End.Usage}); err != nil {
		return err
	}
	c.State, c.Messages, c.Initial = a.state, a.changed(), a.filled()
	return a.commit(c)
}

// newEnding is what the terminal frame carries for readers that are told the end in another way.
func (a *attempt) newEnding() *state.Ending {
	return &state.Ending{Resumed: a.intent.Resumed, ThreadID: a.lease.Key.ID, RunID: a.intent.RunID}
}
