package groupchat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// TestRow129Approval runs a tool no time before a person approves of it and once after, or not at all; the resumed run
// sends its result and nothing else of the call.
func TestRow129Approval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		called string
		result string
	}{
		{"approved", `{"approved":true}`, `f{"x":1}`, "f done"},
		{"row 143: with other arguments", `{"approved":true,"editedArgs":{"x":2}}`, `f{"x":2}`, "f done"},
		{"row 143: with none", `{"approved":true,"editedArgs":{}}`, `f{}`, "f done"},
		{"denied", `{"approved":false}`, ``, approval.NotApproved},
		{"denied with arguments", `{"approved":false,"editedArgs":{"x":2}}`, ``, approval.NotApproved},
		{"called off", `cancel`, ``, approval.NotApproved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, script{Body: chunk(`"content":"Let me see."`) + "\n" + calls("f", `{"x":1}`).Body}, says("Done."))
			c := &counted{}
			r := newRig(t, team(Sequential(),
				Participant{Name: "ann", Agent: &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}}},
				Participant{Name: "bob", Agent: sayer("Next.")}))
			first := r.say("go")
			equal(t, "proposal", first.shape(), "ann { Let me see. call f")
			equal(t, "called before", len(c.called()), 0)
			asked := r.question("approve/llm/0/0")
			editable := `{"properties":{"approved":{"type":"boolean"},` +
				`"editedArgs":{"additionalProperties":false,"properties":{"x":{"type":"integer"}},"type":"object"},` +
				`"reason":{"maxLength":1000,"type":"string"}},"propertyNames":{"enum":["approved","editedArgs","reason","comments","value"]},"required":["approved"],"type":"object"}`
			equal(t, "question", asked.Reason+" "+asked.Message, "tool_call May I call f?")
			equal(t, "call", asked.ToolCallID, callID(first))
			equal(t, "schema", string(asked.ResponseSchema), editable)

			second := r.answer(map[string]string{"approve/llm/0/0": tt.answer})
			equal(t, "called", strings.Join(c.called(), " "), tt.called)
			equal(t, "resumed", second.shape(), "ann { result "+tt.result+" Done. } ann bob { Next. } bob")
			equal(t, "calls started again", second.count(agui.TypeToolCallStart), 0)
			equal(t, "asked", len(m.asked), 2)
			made, told := `f{"x":1}`, ""
			if tt.called != "" && tt.called != made { // the model sees the call, and that a person changed it
				made, told = tt.called, "[A person changed the arguments of this call, and approved of it.]\n"
			}
			if !strings.HasSuffix(m.last(), `u:go | a:Let me see. `+made+` | t:`+told+tt.result) {
				t.Errorf("request = %s", m.last())
			}
		})
	}
}

func callID(s *stream) string {
	for _, e := range s.events {
		if start, ok := e.(*agui.ToolCallStart); ok {
			return start.ToolCallID
		}
	}
	return ""
}

func TestRow129WhatNeedsApproval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		agent tools.Approvals
		tool  tools.Approval
		want  bool
	}{
		{tools.Approvals{}, tools.ApproveByAgent, false}, {tools.Approvals{All: true}, tools.ApproveByAgent, true}, {tools.Approvals{Tools: []string{"f"}}, tools.ApproveByAgent, true},
		{tools.Approvals{Tools: []string{"g"}}, tools.ApproveByAgent, false},
		{tools.Approvals{}, tools.ApproveAlways, true}, {tools.Approvals{All: true}, tools.ApproveNever, false}, {tools.Approvals{Tools: []string{"f"}}, tools.ApproveNever, true},
	}
	for _, tt := range tests {
		a := &LLM{Approve: tt.agent, Tools: []Tool{{Name: "f", Approve: tt.tool}}}
		if got := a.Tools[0].needsApproval(tt.agent); got != tt.want || a.Describe().Interrupts != tt.want {
			t.Errorf("%+v, tool %q: wants %v, interrupts %v, want %v", tt.agent, tt.tool, got, a.Describe().Interrupts, tt.want)
		}
	}
}

// TestRow143WrongEdit asks again, as a new question, when the edited arguments do not fit.
func TestRow143WrongEdit(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`), says("Done."))
	c := &counted{}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}})
	r.say("go")
	again := r.answer(map[string]string{"approve/llm/0/0": `{"approved":true,"editedArgs":{"y":2}}`})
	equal(t, "again", again.shape(), "")
	equal(t, "question", r.open[0].Message, "These arguments do not fit the tool. May I call f?")
	equal(t, "called", len(c.called()), 0)
	r.answer(map[string]string{"approve/llm/0/0#2": `{"approved":true,"editedArgs":{"x":3}}`})
	equal(t, "called", strings.Join(c.called(), " "), `f{"x":3}`)
	equal(t, "told last", m.asked[1].Messages[len(m.asked[1].Messages)-1].Role, "tool")
}

// TestRow81MixedPause waits for approvals, the client's tools and a question of a tool's own at once; what needs none
// of them is done meanwhile.
func TestRow81MixedPause(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`, "g", `{}`, "show_map", `{"city":"Paris"}`, "ask", `{}`, "h", `{}`), says("Done."))
	c := &counted{}
	ask := NewTurnTool("ask", "", func(_ context.Context, t *Turn, _ ToolCall, _ struct{}) (string, error) {
		a, err := t.Ask(Question{Key: "size", Message: "Size?"})
		return "size " + string(a.Payload), err
	})
	agent := &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), c.tool("g"), ask, c.tool("h")}, Approve: tools.Approvals{Tools: []string{"f", "h"}}}
	r := newRig(t, asked{agent, Input{Tools: []agui.Tool{{Name: "show_map", Description: "Shows a map"}, {Name: "g", Description: "not this one"}}}})
	first := r.say("go")
	equal(t, "run", first.err, nil)
	equal(t, "tools", m.asked[0].tools(), "f g ask h show_map")
	equal(t, "first", first.shape(), "call f call g call show_map call ask call h result g done")
	var keys []string
	for _, i := range r.open {
		keys = append(keys, where(i).Key)
	}
	equal(t, "questions", strings.Join(keys, " "), "approve/llm/0/0 size approve/llm/0/4")
	equal(t, "calls", len(r.calls), 1)
	equal(t, "called", strings.Join(c.called(), " "), `g{}`)

	r.messages = append(r.messages, Message{ID: "m", Role: agui.RoleTool, ToolCallID: r.calls[0].ID, Content: agui.TextContent("shown")},
		Message{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("quick")})
	s := Session{Checkpoint: r.checkpoint, Results: map[string]agui.Content{r.calls[0].ID: agui.TextContent("shown")}}
	s.Answers = r.answers(map[string]string{"approve/llm/0/0": `{"approved":false}`, "size": `3`, "approve/llm/0/4": `{"approved":true}`})
	second := r.run(s)
	equal(t, "run", second.err, nil)
	equal(t, "second", second.shape(), "result not approved result size 3 result h done Done.")
	equal(t, "request", m.last(), `u:go | a: f{"x":1} g{} show_map{"city":"Paris"} ask{} h{} | t:not approved | t:g done | t:shown | t:size 3 | t:h done | u:quick`)
}

// TestRow95FrontendTools leaves the client's tools to the client, and tells the model what it brings.
func TestRow95FrontendTools(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls(model.ToolName("show.map"), `{}`, "show_chart", `{}`), says("Nice."))
	client := Input{Tools: []agui.Tool{{Name: "show.map"}, {Name: "show_chart"}}}
	r := newRig(t, &Chat{Manager: RoundRobin(), MaxRounds: 2, Participants: []Participant{{Name: "ann", Agent: asked{&LLM{Model: m.model()}, client}}}})
	first := r.say("go")
	equal(t, "first", first.shape(), "ann { call show.map call show_chart")
	equal(t, "calls", fmt.Sprintln(len(r.calls), r.calls[0].Name, r.calls[1].Name), "2 show.map show_chart\n")
	second := r.returns(map[string]string{"show.map": "ok"})
	equal(t, "run", second.err, nil)
	equal(t, "second", second.shape(), "ann { Nice. } ann ann { Nice. } ann")
	if want := "| t:ok | t:not answered | a:Nice. | u:Go on."; !strings.HasSuffix(m.last(), want) {
		t.Errorf("request = %s, want it to end in %s", m.last(), want)
	}
	m = newMind(t, says("No."))
	newRig(t, asked{&LLM{Model: m.model(), NoFrontendTools: true}, client}).say("go")
	equal(t, "tools", m.asked[0].tools(), "")
}

// TestRow103Takeover lets the process die in a tool, and another continue: the model is not asked again, its reply is
// sent under new ids, and the tool knows the call again.
func TestRow103Takeover(t *testing.T) {
	t.Parallel()
	for _, repeat := range []tools.Repeat{tools.RepeatAgain, tools.RepeatNever} {
		t.Run("repeat "+string(repeat), func(t *testing.T) {
			t.Parallel()
			m := newMind(t, script{Body: chunk(`"reasoning":"hm"`) + "\n" + chunk(`"content":"Let me see."`) + "\n" + calls("f", `{"x":1}`, "g", `{}`).Body}, says("Done."))
			c := &counted{}
			g := c.tool("g")
			f := c.tool("f")
			f.Repeat = repeat
			dies := true
			r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{f, g}})
			ctx, kill := context.WithCancelCause(context.Background())
			r.root.(*LLM).Tools[0].Call = func(ctx context.Context, call ToolCall) (tools.Result, error) {
				c.note(call)
				if dies {
					eventually(t, func() bool { return r.has("1/once/llm/0/1") })
					kill(errDied)
				}
				return tools.Text("f done"), ctx.Err()
			}
			r.ctx = ctx
			first := r.say("go")
			if !errors.Is(first.err, errDied) {
				t.Fatalf("run ended with %v", first.err)
			}
			dies, r.ctx = false, context.Background()
			second := r.run(Session{Memo: maps.Clone(r.onces), Takeover: true})
			equal(t, "run", second.err, nil)
			equal(t, "asked", len(m.asked), 2)
			want, called := "f done", `f{"x":1} f{"x":1} g{}`
			if repeat == tools.RepeatNever {
				want, called = toolLost, `f{"x":1} g{}`
			}
			equal(t, "second", second.shape(), "Let me see. call f call g result "+want+" result g done Done.")
			equal(t, "called", sorted(c.called()), called)
			if callID(first) == callID(second) {
				t.Error("the call has its old id")
			}
			if repeat == tools.RepeatAgain {
				equal(t, "the call keeps its key", c.sameKey(`f{"x":1}`), true)
			}
		})
	}
}

var errDied = errors.New("died")

// TestRow103TakeoverAfterApproval runs an approved tool once, also when the process dies right after it.
func TestRow103TakeoverAfterApproval(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`), script{}, says("Done."))
	c := &counted{}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}})
	proposed := r.say("go")
	checkpoint, open := r.checkpoint, r.open
	ctx, kill := context.WithCancelCause(context.Background())
	r.ctx = ctx
	m.after = func() { kill(errDied) } // the tool's result is recorded, and shown
	dead := r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`})
	if !errors.Is(dead.err, errDied) {
		t.Fatalf("run ended with %v", dead.err)
	}
	r.ctx, r.checkpoint, r.open = context.Background(), checkpoint, open
	s := r.run(Session{Checkpoint: checkpoint, Memo: maps.Clone(r.onces), Takeover: true, Answers: r.answers(map[string]string{"approve/llm/0/0": `{"approved":true}`})})
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "result f done Done.")
	equal(t, "called", len(c.called()), 1)
	equal(t, "asked", len(m.asked), 3)
	for _, e := range s.events {
		if result, ok := e.(*agui.ToolCallResult); ok {
			equal(t, "answers", result.ToolCallID, callID(proposed))
		}
	}
}

// TestRow157ToolThatFailsTheTurn tries the turn again: the model is not asked again, the tool is, and the call has one
// result on the wire.
func TestRow157ToolThatFailsTheTurn(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{}`), says("Done."))
	failures := 1
	f := Tool{Name: "f", OnError: tools.Fails, Call: func(context.Context, ToolCall) (tools.Result, error) {
		if failures--; failures >= 0 {
			return tools.Result{}, errStore
		}
		return tools.Text("ok"), nil
	}}
	agent := &LLM{Model: m.model(), Tools: []Tool{f}}
	r := newRig(t, agent)
	codeOf(t, r.say("go"), errcode.ToolFailed)
	failures = 1
	m.scripts = []script{calls("f", `{}`), says("Done.")}
	r = newRig(t, team(Sequential(), Participant{Name: "ann", Agent: agent, OnError: failure.Policy{Retries: 1}}))
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "ann { call f result The tool failed. error tool_failed } ann ann { Done. } ann")
	if !strings.HasSuffix(m.last(), "| a: f{} | t:ok") {
		t.Errorf("request = %s", m.last())
	}
}

// TestRow157HalfAReply is not the model's own when it is asked again.
func TestRow157HalfAReply(t *testing.T) {
	t.Parallel()
	m := newMind(t, script{Body: chunk(`"content":"Half a"`) + "\n" + calls("f", `{"x":`).Body[:60]}, says("All of it."))
	r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m.model()}, OnError: failure.Policy{Retries: 1}}))
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "ann { Half a error model_response } ann ann { All of it. } ann")
	if strings.Contains(m.last(), "Half") {
		t.Errorf("request = %s", m.last())
	}
}

// TestRow95StoppedWhileItSpeaks leaves its messages, closed.
func TestRow95StoppedWhileItSpeaks(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(context.Background())
	m := newMind(t, script{Body: chunk(`"content":"Half a"`)})
	m.after = func() { stop(errDied) }
	r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m.model()}}))
	r.ctx = ctx
	s := r.say("go")
	equal(t, "stream", s.shape(), "ann { Half a")
	if !errors.Is(s.err, errDied) {
		t.Errorf("run ended with %v", s.err)
	}
}

// TestRow42OutOfSight shows of an agent that works out of sight what concerns people: calls they must approve of or run
// themselves, with their results. The rest, and the words, stay where they are.
func TestRow42OutOfSight(t *testing.T) {
	t.Parallel()
	m := newMind(t, script{Body: chunk(`"content":"Hm."`) + "\n" + calls("f", `{}`, "g", `{}`, "show_map", `{}`).Body}, says("Done."))
	c := &counted{}
	inner := &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), c.tool("g")}, Approve: tools.Approvals{Tools: []string{"g"}}}
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		reply, err := t.Invoke("inner", inner, InvokeOptions{Output: OutputNone})
		if err != nil {
			return err
		}
		return SayOnce(t, "say", fmt.Sprintf("It says: %s", reply.Text()))
	}))
	r.input = Input{Tools: []agui.Tool{{Name: "show_map"}}}
	first := r.say("go")
	equal(t, "run", first.err, nil)
	equal(t, "first", first.shape(), "inner { call g call show_map")
	r.messages = append(r.messages, Message{ID: "m", Role: agui.RoleTool, ToolCallID: r.calls[0].ID, Content: agui.TextContent("shown")})
	s := Session{Checkpoint: r.checkpoint, Results: map[string]agui.Content{r.calls[0].ID: agui.TextContent("shown")}}
	s.Answers = r.answers(map[string]string{"approve/llm/0/1": `{"approved":true}`})
	second := r.run(s)
	equal(t, "run", second.err, nil)
	equal(t, "second", second.shape(), "inner { result g done } inner It  says:  Done.")
	equal(t, "called", sorted(c.called()), "f{} g{}")
	if want := "| a:Hm. f{} g{} show_map{} | t:f done | t:g done | t:shown"; !strings.HasSuffix(m.last(), want) {
		t.Errorf("request = %s, want it to end in %s", m.last(), want)
	}
}

// TestWhatAPersonApprovedOfIsCommitted fails after two approved calls of one reply: both are kept before the model is
// asked again, whichever of them was the last to end.
func TestWhatAPersonApprovedOfIsCommitted(t *testing.T) {
	t.Parallel()
	c := &counted{}
	approved := map[string]string{"approve/llm/0/0": `{"approved":true}`, "approve/llm/0/1": `{"approved":true}`}
	for i := range 20 {
		m := newMind(t, calls("f", `{}`, "g", `{}`), script{Status: 500})
		r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), c.tool("g")}, Approve: tools.Approvals{All: true}})
		must(t, r.say("go").err)
		s, _ := r.execute(Session{Checkpoint: r.checkpoint, Answers: r.answers(approved)})
		codeOf(t, s, errcode.ModelUnavailable)
		if len(r.commits) == 0 {
			t.Fatalf("run %d: the calls are not kept", i+1)
		}
	}
}
