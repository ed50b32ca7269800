package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// end ends the run: with a last commit that stores the terminal event too, or by leaving the run to another attempt.
func (a *attempt) end(result groupchat.Result, err error) {
	a.detachAgent()
	defer a.committing.Unlock()
	switch {
	case errors.Is(err, errLeaseLost) || a.rec.LeaseLost():
		a.log.Warn("run: lease lost")
		return // another replica has the run, and its readers follow the log
	case errors.Is(err, errDraining) && a.g.o.Shared:
		a.handOver()
		return
	case errors.Is(err, errNotTakenOver):
		a.surrender(err)
		return
	case errors.Is(err, errStopped) && a.reading():
		err = a.endReading()
	case errors.Is(err, errStopped):
		err = a.endStopped()
	case errors.Is(err, errUnclear):
		err = a.endUnclear()
	case err != nil:
		err = a.endFailed(err)
	case result.Pause != nil && len(result.Pause.Interrupts) > 0:
		err = a.endInterrupted(result)
	default:
		err = a.endSucceeded(result)
	}
	if err != nil && !a.rec.LeaseLost() {
		err = a.endFailed(err)
	}
	if err != nil {
		a.surrender(err)
		return
	}
	a.metrics.RunEnded(a.background, a.measuredAs, string(a.ended.Status), a.ended.Code,
		a.clock.Now().Sub(a.intent.StartedAt))
	a.logEnd()
}

// detachAgent makes the agent, which may not have returned, unable to write to the run. It locks committing.
func (a *attempt) detachAgent() {
	a.committing.Lock()
	a.detached = true
	if a.run != nil { // nil if the log could not be read
		a.run = a.run.Handover()
	}
	a.state = a.changedState() // what the agent changes from now on is not sent and not stored
}

// handOver leaves the run to another replica: it appends the pending events and releases the lease.
func (a *attempt) handOver() {
	a.rec.Flush()
	if err := a.release(); err != nil {
		a.log.Error("run: lease not released", "error", err)
		return
	}
	a.metrics.RunHandedOver(a.background, a.measuredAs)
	a.log.Info("run: handed over")
}

// release releases the lease, so that another attempt can begin at once. If the store hangs, the lease expires.
func (a *attempt) release() error {
	ctx, cancel := context.WithTimeout(a.background, calls.StoreTimeout)
	defer cancel()
	return calls.Protect(func() error { return a.g.store.Release(ctx, a.lease) })
}

// surrender gives up the run when writing is impossible. Another attempt ends it.
func (a *attempt) surrender(err error) {
	if a.rec.LeaseLost() {
		a.log.Warn("run: lease lost")
		return
	}
	calls.WithCause(a.log, err).Error("run: given up")
	if err = a.release(); err != nil {
		calls.WithCause(a.log, err).Error("run: lease not released")
	}
}

// sendSnapshots sends state and conversation as they are about to be committed.
func (a *attempt) sendSnapshots() error {
	if err := a.run.RestateState(); err != nil {
		return err
	}
	return a.run.Restate()
}

func (a *attempt) endSucceeded(result groupchat.Result) error {
	c := state.Commit{End: &state.End{Status: state.RunSuccess}}
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if result.Pause != nil { // frontend calls alone are a success; the client answers them with its next request
		c.Checkpoint, c.Calls = result.Checkpoint, result.Pause.Calls
	}
	return a.finish(c, outcome, result.Closings)
}

func (a *attempt) endInterrupted(result groupchat.Result) error {
	tokens := make([]state.Token, 0, len(result.Pause.Interrupts))
	shown := make([]agui.Interrupt, 0, len(result.Pause.Interrupts))
	now := a.clock.Now().UTC()
	for _, i := range result.Pause.Interrupts {
		ttl := i.TTL
		if ttl <= 0 {
			ttl = a.agent.InterruptTTL
		}
		// Clients are shown whole seconds, and the deadline must not be earlier than what they see.
		expires := a.clock.Now().Add(ttl + time.Second - 1).UTC().Truncate(time.Second)
		if !i.Until.IsZero() && i.Until.Before(expires) {
			expires = i.Until.UTC().Truncate(time.Second)
		}
		i.ExpiresAt = expires.Format(time.RFC3339)
		tokens = append(tokens, state.Token{Interrupt: i.Interrupt, AskedAt: now, ExpiresAt: expires,
			Status: state.TokenOpen})
		shown = append(shown, i.Interrupt)
	}
	c := state.Commit{
		Checkpoint: result.Checkpoint, Tokens: tokens, Calls: result.Pause.Calls,
		End: &state.End{Status: state.RunInterrupt},
	}
	n := a.g.webhook.NewNotice(webhook.Questions{
		Key: a.lease.Key, Origin: a.intent.Origin, Shown: shown, Tokens: tokens, Clock: a.clock,
		Trace: telemetry.Traceparent(a.background),
	})
	a.g.webhook.Store(n)
	err := a.finish(c, &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: shown}, result.Closings)
	if err != nil {
		a.g.webhook.Remove(n)
		return err
	}
	if n != nil {
		a.g.webhook.Start(n)
	}
	a.measureAsked(tokens)
	return nil
}

// endStopped ends a run that was stopped. Its messages and state are kept, and open calls get a result.
func (a *attempt) endStopped() error {
	a.rec.Hold()
	if err := a.closeOpen(errcode.Cancelled); err != nil {
		return err
	}
	if err := a.answerOpenCalls(state.NotAnswered); err != nil {
		return err
	}
	if err := a.answerBoundCalls(); err != nil {
		return err
	}
	return a.finishCancelled(state.Commit{End: &state.End{Status: state.RunCancelled}})
}

// finishCancelled ends a run that was stopped, with snapshots and the cancelled outcome.
func (a *attempt) finishCancelled(c state.Commit) error {
	if err := a.sendSnapshots(); err != nil {
		return err
	}
	outcome, usage := &agui.Outcome{Type: agui.OutcomeCancelled}, a.usage.Total()
	if err := a.run.Finish(&agui.RunFinished{Outcome: outcome, Usage: usage}); err != nil {
		return err
	}
	c.State, c.Messages = a.state, a.changedMessages()
	c.End.Code, c.End.Usage, c.End.Cost = errcode.Cancelled, usage, a.usage.Cost()
	return a.commit(c)
}

// closeOpen closes the open items of the run. Its subagents end with the code.
func (a *attempt) closeOpen(code errcode.Code) error {
	return a.run.CloseOpen(run.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()})
}

// answerOpenCalls writes a result for each open call, so that no reader waits for it.
func (a *attempt) answerOpenCalls(text string) error {
	var open []agui.ToolCall
	a.run.Inspect(func(v *run.View) { open = v.OpenCalls() })
	for _, call := range open {
		if err := a.answerCall(call.ID, text); err != nil {
			return err
		}
	}
	return nil
}

// answerCall writes the result of a call that has no answer.
func (a *attempt) answerCall(call, text string) error {
	return a.run.Emit(&agui.ToolCallResult{
		MessageID: a.ids.newID(), ToolCallID: call, Role: agui.RoleTool, Content: agui.TextContent(text),
	})
}

// answerBoundCalls answers the calls that the questions of this run were about, if the run has not done so.
func (a *attempt) answerBoundCalls() error {
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
		if err := a.answerCall(q.ToolCallID, state.NotAnswered); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a run with a finished or paused agent: with snapshots, closing events, and the terminal event.
func (a *attempt) finish(c state.Commit, outcome *agui.Outcome, closings []agui.Event) error {
	a.rec.Hold()
	if err := a.sendSnapshots(); err != nil {
		return err
	}
	for _, e := range closings {
		if err := a.run.Emit(e); err != nil {
			return err
		}
	}
	a.ending = a.newEnding()
	a.ending.Open = outcome.Interrupts
	c.End.Usage, c.End.Cost = a.usage.Total(), a.usage.Cost()
	if err := a.run.Finish(&agui.RunFinished{Outcome: outcome, Usage: c.End.Usage,
		Result: a.limitResult()}); err != nil {
		return err
	}
	c.State, c.Messages, c.Initial = a.state, a.changedMessages(), a.initialName()
	return a.commit(c)
}

// maxLimitedChats bounds the named chats of a run that ended at their limit.
const maxLimitedChats = 20

// noteChatLimit remembers a chat that ended because its turns are used up.
func (a *attempt) noteChatLimit(chat string) {
	a.metrics.Limit(a.background, string(limit.MaxRounds))
	a.limitMu.Lock()
	defer a.limitMu.Unlock()
	if !slices.Contains(a.limited, chat) && len(a.limited) < maxLimitedChats {
		a.limited = append(a.limited, chat)
	}
}

// limitResult is the result of a run in which chats ended at their limit; nil if none did.
func (a *attempt) limitResult() json.RawMessage {
	a.limitMu.Lock()
	defer a.limitMu.Unlock()
	if len(a.limited) == 0 {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"reason": limit.MaxRounds, "chats": a.limited})
	if err != nil {
		return nil // strings
	}
	return raw
}

// newEnding returns the part of the terminal frame for readers that are sent a different event.
func (a *attempt) newEnding() *state.Ending {
	return &state.Ending{Resumed: a.intent.Resumed, ThreadID: a.lease.Key.ID, RunID: a.intent.RunID}
}
