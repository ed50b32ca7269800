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

// stepName is what steps of the turn call it: its path without the numbers of invocations, and the agent of the thread
// for the root.
func (t *Turn) stepName() string { return cmp.Or(t.identity(), t.x.Input.Agent) }

// observeTool makes a call of a tool, as a step of its turn. Like [observeModel] it is inside of all hooks: the steps
// of a trace say what models and tools were really asked, and each try of a call is one. A turn's step is around its
// hooks, in [Turn.try]: it begins and ends with what clients see of the turn, and the model calls of hooks are part of
// it.
func observeTool(ctx context.Context, u ToolUse, next ToolFunc) (ToolResult, error) {
	ctx, step := telemetry.Begin(ctx,
		telemetry.Record{Kind: telemetry.KindTool, Name: u.Tool.Name, ToolCallID: u.Call.ID})
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

// observeModel makes a call of a model, as a step of its turn.
func observeModel(ctx context.Context, c *ModelCall) (*model.Reply, error) {
	ctx, step := beginModel(ctx, c)
	reply, err := c.Model.Stream(ctx, c.Request, step.deltas())
	return step.end(reply, err)
}

type modelStep struct {
	*telemetry.Step
	turn  *Turn // nil for a manager that is asked outside of a run
	on    model.Deltas
	first atomic.Int64 // when the model said its first words, in milliseconds since 1970; 0 before
}

// beginModel begins the step of a call, which notes when the model begins to speak.
func beginModel(ctx context.Context, c *ModelCall) (context.Context, *modelStep) {
	provider, name := model.Identify(c.Model)
	ctx, step := telemetry.Begin(ctx,
		telemetry.Record{Kind: telemetry.KindModel, Name: name, Provider: provider, Model: name})
	messages := c.Request.Messages
	step.Content(telemetry.InputMessages, func() any { return inputContent(messages) })
	s := &modelStep{Step: step, turn: c.Turn, on: c.On}
	if c.Turn != nil {
		ctx = model.WithAsker(ctx, c.Turn.asker())
	}
	return ctx, s
}

// end ends the step of a call with its reply and err, and returns both.
func (s *modelStep) end(said model.Reply, err error) (*model.Reply, error) {
	reply := &said
	s.Update(func(r *telemetry.Record) {
		r.FirstToken, r.Usage, r.Cost = s.first.Load(), &reply.Usage, reply.Cost
		r.Provider, r.Model = cmp.Or(reply.Usage.Provider, r.Provider), cmp.Or(reply.Usage.Model, r.Model)
		r.Name = cmp.Or(r.Name, r.Model)
	})
	s.Finish(reply.Finish)
	s.Content(telemetry.OutputMessages, func() any { return replyContent(said) })
	if s.turn == nil {
		s.End(err)
	} else {
		s.turn.endStep(s.Step, err)
	}
	return reply, err
}

func (s *modelStep) deltas() model.Deltas {
	return model.Deltas{Text: s.text, Reasoning: s.reasoning, Call: s.call}
}

func (s *modelStep) noteFirst() {
	if s.first.Load() == 0 {
		s.first.CompareAndSwap(0, time.Now().UnixMilli())
	}
}

func (s *modelStep) text(delta string) error { return s.word(s.on.Text, delta) }

func (s *modelStep) reasoning(delta string) error { return s.word(s.on.Reasoning, delta) }

func (s *modelStep) word(on func(string) error, delta string) error {
	s.noteFirst()
	if on == nil {
		return nil
	}
	return on(delta)
}

func (s *modelStep) call(i int, name, arguments string) error {
	s.noteFirst()
	if s.on.Call == nil {
		return nil
	}
	return s.on.Call(i, name, arguments)
}

// asker is for whom models are asked in the turn.
func (t *Turn) asker() model.Asker {
	return model.Asker{Principal: t.x.Input.Principal.ID, Again: t.tries() > 0}
}
