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

// beginCall begins a step that is a call of a tool.
func beginCall(ctx context.Context, tool *Tool, c ToolCall) (context.Context, *telemetry.Step) {
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTool, Name: tool.Name, ToolCallID: c.ID})
	step.Content(telemetry.CallArguments, func() any { return c.Arguments })
	return ctx, step
}

// endCall ends it. An error without a code is the tool's.
func (t *Turn) endCall(step *telemetry.Step, result ToolResult, err error) {
	step.Content(telemetry.CallResult, func() any { return result.Content })
	if err != nil && pauseOf(err) == nil && errcode.Of(t.x.stepError(err)) == errcode.Internal {
		err = &errcode.Error{Code: errcode.ToolFailed, Err: err}
	}
	t.endStep(step, err)
}

// askModel asks m, as a step of t's turn. Supervisors that are asked outside of a turn have none: then t is nil.
func askModel(ctx context.Context, t *Turn, m model.Model, r model.Request, on model.Deltas) (model.Reply, error) {
	provider, name := model.Identify(m)
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindModel, Name: name, Provider: provider, Model: name})
	step.Content(telemetry.InputMessages, func() any { return toldInput(r.Messages) })
	var first atomic.Int64
	heard := func() {
		if first.Load() == 0 {
			first.CompareAndSwap(0, time.Now().UnixMilli())
		}
	}
	reply, err := m.Stream(ctx, r, heardBy(on, heard))
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
