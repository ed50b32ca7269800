package gateway

import (
	"context"
	"errors"
	"strconv"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// beginStep starts the attempt's span in the trace of the request that started the run, also after a takeover.
// Everything in the attempt is below it. It links to the previous run of the thread, for example the one with the
// question that this run answers, and to the attempt that was taken over.
func (a *attempt) beginStep(ctx, request context.Context) context.Context {
	ctx = telemetry.Continue(ctx, request)
	a.trace = newTraceLog(a)
	ctx = telemetry.WithSink(ctx, strconv.Itoa(a.intent.Attempts)+".", a.trace.note)
	ctx = telemetry.WithThread(ctx, telemetry.Thread{ID: a.lease.Key.ID, RunID: a.intent.RunID})
	links := []telemetry.Link{{Traceparent: a.intent.Earlier, Why: telemetry.LinkPrevious, ThreadID: a.lease.Key.ID}}
	if a.intent.Attempts > 1 {
		links = append(links, telemetry.Link{Traceparent: a.intent.Trace, Why: telemetry.LinkTakeover,
			ThreadID: a.lease.Key.ID})
	}
	ctx, a.step = telemetry.BeginLinked(ctx,
		telemetry.Record{Kind: telemetry.KindRun, Name: a.lease.Key.Agent, Attempt: a.intent.Attempts}, links...)
	return ctx
}

// The outcomes of an attempt that has not ended its run.
const (
	handedOver = "handed_over" // another replica continues the run
	givenUp    = "given_up"    // writing was impossible
)

// endStep ends the step. One that has not ended the run has left it to another attempt.
func (a *attempt) endStep() {
	switch {
	case a.ended != nil && a.ended.Status == state.RunInterrupt:
		a.step.Outcome(string(state.RunInterrupt))
		a.step.Suspend()
	case a.ended != nil && a.ended.Status == state.RunError:
		a.step.Outcome(string(state.RunError))
		a.step.Fail(a.ended.Code)
	case a.ended != nil:
		a.step.Outcome(string(a.ended.Status))
		a.step.End(nil)
	case a.rec.LeaseLost() || errors.Is(context.Cause(a.ctx), errLeaseLost):
		a.step.Outcome(handedOver)
		a.step.Fail(errcode.RunMoved)
	case errors.Is(context.Cause(a.ctx), errHandedOver):
		a.step.Outcome(handedOver)
		a.step.End(nil)
	default:
		a.step.Outcome(givenUp)
		a.step.Fail(errcode.StoreUnavailable)
	}
}
