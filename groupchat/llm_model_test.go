package groupchat

import (
	"context"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// A recital is a model that gives its replies one after the other and hands on what its function says.
type recital struct {
	replies  []model.Reply
	handOn   func(r model.Reply, on model.Deltas) error
	requests []model.Request
}

func (l *recital) Stream(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	l.requests = append(l.requests, r)
	next := l.replies[0]
	l.replies = l.replies[1:]
	return next, l.handOn(next, on)
}

// TestAModelMayHandOnWhatItLikes shows clients the whole of a reply, and once, whichever parts of it its model streams.
func TestAModelMayHandOnWhatItLikes(t *testing.T) {
	t.Parallel()
	nothing := func(model.Reply, model.Deltas) error { return nil }
	text := func(r model.Reply, on model.Deltas) error { return on.Text(r.Text) }
	call := func(i int) func(r model.Reply, on model.Deltas) error {
		return func(r model.Reply, on model.Deltas) error {
			if len(r.Calls) <= i {
				return nil
			}
			return on.Call(i, r.Calls[i].Name, r.Calls[i].Arguments)
		}
	}
	for name, handOn := range map[string]func(model.Reply, model.Deltas) error{
		"nothing":         nothing,
		"text":            text,
		"the first call":  call(0),
		"the second call": call(1),
		"reasoning":       func(r model.Reply, on model.Deltas) error { return on.Reasoning(r.Reasoning) },
		"everything": func(r model.Reply, on model.Deltas) error {
			return errors.Join(on.Reasoning(r.Reasoning), text(r, on), call(0)(r, on), call(1)(r, on))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &recital{handOn: handOn, replies: []model.Reply{
				{Reasoning: "hm", Text: "First", Calls: []model.Call{{Name: "f", Arguments: `{"x":1}`}, {Name: model.ToolName("g.h"), Arguments: `{}`}}},
				{Reasoning: "so", Text: "Done."},
			}}
			c := &counted{}
			s := newRig(t, &LLM{Model: m, Tools: []Tool{c.tool("f"), c.tool("g.h")}}).say("go")
			equal(t, "run", s.err, nil)
			equal(t, "calls", sorted(c.called()), `f{"x":1} g.h{}`)
			equal(t, "text", s.count(agui.TypeTextMessageContent), 2)
			equal(t, "reasoning", s.count(agui.TypeReasoningMessageContent), 2)
			equal(t, "starts of calls", s.count(agui.TypeToolCallStart), 2)
			equal(t, "arguments", s.count(agui.TypeToolCallArgs), 2)
			equal(t, "ends of calls", s.count(agui.TypeToolCallEnd), 2)
			equal(t, "reasoning that goes back", m.requests[1].Messages[1].Reasoning, "hm")
			for _, tool := range m.requests[0].Tools {
				equal(t, "name of a tool", tool.Name, model.ToolName(tool.Name))
			}
		})
	}
}

// TestAModelThatContradictsItselfFailsItsTurn lets a model begin a call that its reply does not have.
func TestAModelThatContradictsItselfFailsItsTurn(t *testing.T) {
	t.Parallel()
	m := &recital{replies: []model.Reply{{Text: "Done."}}, handOn: func(_ model.Reply, on model.Deltas) error { return on.Call(0, "f", "{}") }}
	c := &counted{}
	s := newRig(t, &LLM{Model: m, Tools: []Tool{c.tool("f")}}).say("go")
	equal(t, "code", errcode.Of(s.err), errcode.ModelResponse)
	equal(t, "calls", len(c.called()), 0)
}

// TestAModelsErrorEndsItsRun takes a model's own code, and agent_failed for an error without one.
func TestAModelsErrorEndsItsRun(t *testing.T) {
	t.Parallel()
	for want, err := range map[errcode.Code]error{
		errcode.AgentFailed:      errors.New("boom"),
		errcode.ModelUnavailable: &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("boom")},
	} {
		m := &recital{replies: []model.Reply{{}}, handOn: func(model.Reply, model.Deltas) error { return err }}
		s := newRig(t, &LLM{Model: m}).say("go")
		equal(t, "code", errcode.Of(s.err), want)
	}
}

// TestOnlyModelsThatReasonAnnounceIt describes an agent by what its model says of itself.
func TestOnlyModelsThatReasonAnnounceIt(t *testing.T) {
	t.Parallel()
	equal(t, "a model that does not say", (&LLM{Model: &recital{}}).Describe().Reasoning, false)
	equal(t, "no model", (&LLM{}).Describe().Reasoning, false)
	equal(t, "a model that says", (&LLM{Model: thinker{}}).Describe().Reasoning, true)
}

type thinker struct{ model.Model }

func (thinker) Reasons() bool { return true }

// TestAModelIsGivenImagesOfTools has a tool with a result that is more than text: models get all of it, and words for
// those that take only text.
func TestAModelIsGivenImagesOfTools(t *testing.T) {
	t.Parallel()
	m := &recital{handOn: func(model.Reply, model.Deltas) error { return nil }, replies: []model.Reply{
		{Calls: []model.Call{{Name: "picture", Arguments: "{}"}}}, {Text: "Nice."}, {Text: "It is."},
	}}
	r := newRig(t, &LLM{Model: m, Tools: oddTools()})
	equal(t, "first run", r.say("go").err, nil)
	equal(t, "second run", r.say("go on").err, nil)
	want := model.Message{Role: agui.RoleTool, Text: "Look:\n[image, which the user sees]", Parts: []agui.Part{
		{Type: agui.PartText, Text: "Look:"}, {Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/i.png"}},
	}}
	for _, request := range m.requests[1:] {
		got := request.Messages[2]
		got.CallID = ""
		equal(t, "result", got, want)
	}
}
