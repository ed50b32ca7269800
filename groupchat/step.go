package groupchat

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/telemetry"
)

// endStep ends a step of the turn's that ended with err. One that waits for people has not failed.
func (t *Turn) endStep(step *telemetry.Step, err error) {
	if pauseOf(err) != nil {
		step.Suspend()
		return
	}
	step.End(t.x.stepError(err))
}

// stepError gives err the code with which a step ends: what a run is stopped for is no fault of what it was doing.
func (x *execution) stepError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrMoved) || x.ctx.Err() != nil && errors.Is(context.Cause(x.ctx), ErrMoved):
		return &errcode.Error{Code: errcode.RunMoved, Err: err}
	case errcode.Of(err) == errcode.Internal && (x.ctx.Err() != nil || errors.Is(err, context.Canceled)):
		return &errcode.Error{Code: errcode.Cancelled, Err: err}
	}
	return err
}

// stepName is what steps of the turn call it: its path without the numbers of invocations, and the agent of the thread for the root.
func (t *Turn) stepName() string { return cmp.Or(t.identity(), t.x.Input.Agent) }

// telemetryHooks are inside of all others: the steps of a trace say what models and tools were really asked, and each try of a call is
// one. A turn's step is around its hooks, in [Turn.try]: it begins and ends with what clients are told of the turn, and what
// hooks ask models for is part of it.
var telemetryHooks = Hooks{Name: "telemetry", Model: observeModel, Tool: observeTool}

// observeTool makes a call of a tool, as a step of its turn.
func observeTool(ctx context.Context, u ToolUse, next ToolFunc) (ToolResult, error) {
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTool, Name: u.Tool.Name, ToolCallID: u.Call.ID})
	step.Content(telemetry.CallArguments, func() any { return u.Call.Arguments })
	result, err := next(ctx, u)
	u.Turn.endCall(step, result, err)
	return result, err
}

// endCall ends the step of a call. An error without a code is the tool's.
func (t *Turn) endCall(step *telemetry.Step, result ToolResult, err error) {
	step.Content(telemetry.CallResult, func() any { return result.Content })
	if _, asks := errors.AsType[*InputNeeded](err); asks {
		step.Suspend()
		return
	}
	if err != nil && pauseOf(err) == nil && errcode.Of(t.x.stepError(err)) == errcode.Internal {
		err = &errcode.Error{Code: errcode.ToolFailed, Err: err}
	}
	t.endStep(step, err)
}

// askModel makes a call of a model.
func askModel(ctx context.Context, c ModelCall) (model.Reply, error) {
	return c.Model.Stream(ctx, c.Request, c.On)
}

// observeModel makes a call of a model, as a step of its turn.
func observeModel(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error) {
	t, m, r := c.Turn, c.Model, c.Request
	provider, name := model.Identify(m)
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindModel, Name: name, Provider: provider, Model: name})
	step.Content(telemetry.InputMessages, func() any { return toldInput(r.Messages) })
	if t != nil {
		ctx = model.WithAsker(ctx, t.asker())
	}
	var first atomic.Int64
	heard := func() {
		if first.Load() == 0 {
			first.CompareAndSwap(0, time.Now().UnixMilli())
		}
	}
	c.On = heardBy(c.On, heard)
	reply, err := next(ctx, c)
	step.Update(func(s *telemetry.Record) {
		s.FirstToken, s.Usage, s.Cost = first.Load(), &reply.Usage, reply.Cost
		s.Provider, s.Model = cmp.Or(reply.Usage.Provider, s.Provider), cmp.Or(reply.Usage.Model, s.Model)
		s.Name = cmp.Or(s.Name, s.Model)
	})
	step.Finish(reply.Finish)
	step.Content(telemetry.OutputMessages, func() any { return toldReply(reply) })
	if t == nil {
		step.End(err)
	} else {
		t.endStep(step, err)
	}
	return reply, err
}

// asker is for whom models are asked in the turn.
func (t *Turn) asker() model.Asker {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return model.Asker{Principal: t.x.Input.Principal.ID, Again: t.record.Tries > 0}
}

// heardBy is on, which also calls heard with everything that is said.
func heardBy(on model.Deltas, heard func()) model.Deltas {
	word := func(next func(string) error) func(string) error {
		return func(delta string) error {
			heard()
			if next == nil {
				return nil
			}
			return next(delta)
		}
	}
	return model.Deltas{
		Text: word(on.Text), Reasoning: word(on.Reasoning),
		Call: func(i int, name, arguments string) error {
			heard()
			if on.Call == nil {
				return nil
			}
			return on.Call(i, name, arguments)
		},
	}
}
