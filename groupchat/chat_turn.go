package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/telemetry"
)

// turn runs the open turn and closes it. After a nil error the chat continues.
func (r *chatRun) turn(ctx context.Context) error {
	record := r.record.Turn
	p := r.speaker(record.Speaker)
	if p == nil {
		return r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: participant %q is gone", r.t.Path(),
			record.Speaker))
	}
	skipped, err := r.t.retry(ctx, p, record, func() error { return r.attempt(p, record) })
	if err != nil {
		return err
	}
	return r.close(ctx, p, skipped)
}

func (r *chatRun) attempt(p *Participant, record *turnRecord) error {
	t := r.t.child(p.Name)
	t.begin(record)
	t.chat, t.participant = r, p
	t.saved = savedState{
		get: func() json.RawMessage { return r.record.Scopes[p.Name] },
		set: func(raw json.RawMessage) { r.record.Scopes = with(r.record.Scopes, p.Name, raw) },
	}
	var before progressMark
	// Middleware runs within the turn: what it does counts as the turn's.
	err := t.try(AgentFunc(func(ctx context.Context, t *Turn) error {
		before = t.progress()
		return r.wrap(p.Agent).Run(ctx, t)
	}), func() error { r.noteIdle(t, before); return nil })
	if err != nil && ask.PauseOf(err) == nil {
		t.Goto("") // the next try decides for itself
	}
	return err
}

// A progressMark tells whether a turn did anything: by the messages so far, and the states it can change.
type progressMark struct {
	said        int
	shared, own int // revisions of the states
}

func (t *Turn) progress() progressMark {
	said := 0
	t.run.Inspect(func(v *run.View) { said = v.Joined() })
	return progressMark{said, t.x.State.Rev(), t.scope.Rev()}
}

// noteIdle remembers whether the turn that ended well did anything since before.
func (r *chatRun) noteIdle(t *Turn, before progressMark) { r.setIdle(t, t.progress() == before) }

// close ends the open turn, records its result and commits. A takeover after this begins with the next turn.
func (r *chatRun) close(ctx context.Context, p *Participant, failed bool) error {
	last := r.t.lastMessage()
	_, own := p.Agent.(speakingSupervisor)
	var saved json.RawMessage
	if own {
		var err error
		if saved, err = r.snapshot(); err != nil {
			return err
		}
	}
	r.closeTurn(p, own, saved, last, failed)
	return r.t.commit(ctx)
}

// with returns m, or a new map, with value at key.
func with[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

func (r *chatRun) wrap(agent Agent) Agent {
	for _, m := range slices.Backward(r.Middleware) {
		agent = m(agent)
	}
	return agent
}

// endStep ends a step of the turn's that ended with err. One that waits for people has not failed.
func (t *Turn) endStep(step *telemetry.Step, err error) {
	if ask.PauseOf(err) != nil {
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
func observeTool(ctx context.Context, u ToolUse, next ToolFunc) (tools.Result, error) {
	ctx, step := telemetry.Begin(ctx,
		telemetry.Record{Kind: telemetry.KindTool, Name: u.Tool.Name, ToolCallID: u.Call.ID})
	step.Content(telemetry.CallArguments, func() any { return u.Call.Arguments })
	result, err := next(ctx, u)
	u.Turn.endCall(step, result, err)
	return result, err
}

// endCall ends the step of a call. An error without a code is the tool's.
func (t *Turn) endCall(step *telemetry.Step, result tools.Result, err error) {
	step.Content(telemetry.CallResult, func() any { return result.Content })
	if _, asks := errors.AsType[*tools.InputNeeded](err); asks {
		step.Suspend()
		return
	}
	if err != nil && ask.PauseOf(err) == nil && errcode.Of(t.x.stepError(err)) == errcode.Internal {
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

// A contentMessage is a message as OpenTelemetry's GenAI conventions write it. Only operators who ask for content
// receive any.
type contentMessage struct {
	Role         string        `json:"role"`
	Parts        []contentPart `json:"parts"`
	FinishReason string        `json:"finish_reason,omitempty"`
}

type contentPart struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// inputContent is the request to a model. Images and files are as in requests to models that accept nothing but text.
func inputContent(messages []model.Message) []contentMessage {
	var list []contentMessage
	for _, m := range messages {
		told := contentMessage{Role: string(m.Role)}
		if m.Role == agui.RoleTool {
			told.Parts = append(told.Parts, contentPart{Type: "tool_call_response", ID: m.CallID, Response: m.Text})
		} else {
			told.Parts = partsContent(m.Reasoning, m.Text, m.Calls)
		}
		list = append(list, told)
	}
	return list
}

func replyContent(r model.Reply) []contentMessage {
	return []contentMessage{{Role: string(agui.RoleAssistant), Parts: partsContent(r.Reasoning, r.Words(), r.Calls),
		FinishReason: r.Finish}}
}

func partsContent(reasoning, words string, calls []model.Call) []contentPart {
	var parts []contentPart
	if reasoning != "" {
		parts = append(parts, contentPart{Type: "reasoning", Content: reasoning})
	}
	if words != "" {
		parts = append(parts, contentPart{Type: "text", Content: words})
	}
	for _, c := range calls {
		told := contentPart{Type: "tool_call", ID: c.ID, Name: c.Name}
		if json.Valid([]byte(c.Arguments)) {
			told.Arguments = json.RawMessage(c.Arguments)
		}
		parts = append(parts, told)
	}
	return parts
}
