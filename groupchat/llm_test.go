package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

func TestLLMStreamsWhatTheModelSays(t *testing.T) {
	t.Parallel()
	m := newMind(t, script{Body: chunk(`"reasoning":"hm"`) + "\n" + chunk(`"content":"Hel"`) + "\n" + chunk(`"content":"lo"`) + "\n" + finish("stop")})
	r := newRig(t, &LLM{Model: m.model(), Instructions: "Be brief."})
	s := r.say("hi")
	equal(t, "run", s.err, nil)
	equal(t, "events", s.kinds(), "REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_END START CONTENT CONTENT END")
	equal(t, "request", m.last(), "s:Be brief. | u:hi")
	r.say("and?")
	equal(t, "request", m.last(), "s:Be brief. | u:hi | a:Hello | u:and?")
}

// TestRow98ToolRounds lets a model call two tools at once and asks it again with what they returned.
func TestRow98ToolRounds(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`, "g", `{}`), script{Body: chunk(`"content":"First"`) + "\n" + calls("f", `{"x":2}`).Body}, says("Done."))
	c := &counted{}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), c.tool("g")}})
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "call f call g result f done result g done First call f result f done Done.")
	equal(t, "request", m.last(), `u:go | a: f{"x":1} g{} | t:f done | t:g done | a:First f{"x":2} | t:f done`)
	var calling []string
	for _, e := range s.events {
		if start, ok := e.(*agui.ToolCallStart); ok {
			calling = append(calling, start.ParentMessageID)
		}
	}
	if calling[0] == "" || calling[0] != calling[1] || calling[1] == calling[2] {
		t.Errorf("calls belong to the messages %q, want the first two to one", calling)
	}
	// The next turn has all of it in its request.
	r.say("again")
	equal(t, "request", m.last(), `u:go | a: f{"x":1} g{} | t:f done | t:g done | a:First f{"x":2} | t:f done | a:Done. | u:again`)
}

func TestLLMTextAfterCalls(t *testing.T) {
	t.Parallel()
	m := newMind(t, script{Body: strings.Replace(calls("f", `{}`).Body, finish("tool_calls"), chunk(`"content":"Wait."`)+"\n"+finish("tool_calls"), 1)}, says("Done."))
	c := &counted{}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}})
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "conversation", strings.Join(texts(r.messages), "|"), "go||f done|Wait.|Done.")
	equal(t, "request", m.last(), `u:go | a:Wait. f{} | t:f done`)
}

// TestLLMContainsAModel lets a model do what it should not.
func TestLLMContainsAModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		scripts []script
		want    string // its request
	}{
		{"unknown tool", []script{calls("h", `{}`)}, noSuchTool},
		{"no JSON", []script{calls("f", `{"x":`)}, mistakeText("they are not a JSON object")},
		{"a list", []script{calls("f", `[]`)}, mistakeText("they are not a JSON object")},
		{"null", []script{calls("f", `null`)}, mistakeText("they are not a JSON object")},
		{"another type", []script{calls("f", `{"x":"1"}`)}, mistakeText("/x is of type string, not integer")},
		{"more than there is", []script{calls("f", `{"y":1}`)}, mistakeText("it has members that are not known: y")},
		{"nothing", []script{calls("f", ``)}, "f done"},
		{"a failure", []script{calls("fails", `{}`)}, toolFailed},
		{"a failure it may know of", []script{calls("tells", `{}`)}, "No such city."},
		{"a panic", []script{calls("panics", `{}`)}, toolFailed},
		{"an error that cannot be unwrapped", []script{calls("breaks", `{}`)}, toolFailed},
		{"a long result", []script{calls("long", `{}`)}, strings.Repeat("é", 5) + "…\n[The rest was left out.]"},
		{"an empty result", []script{calls("empty", `{}`)}, ""},
		{"a picture", []script{calls("picture", `{}`)}, "Look:\n[image, which the user sees]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, append(tt.scripts, says("Sorry."))...)
			c := &counted{}
			r := newRig(t, &LLM{Model: m.model(), Tools: append(oddTools(), c.tool("f"))})
			s := r.say("go")
			equal(t, "run", s.err, nil)
			told := m.asked[1].Messages
			equal(t, "result", plain(told[len(told)-1].Content), tt.want)
			if tt.name != "a picture" && !strings.HasSuffix(s.shape(), "result "+tt.want+" Sorry.") {
				t.Errorf("stream = %s", s.shape())
			}
		})
	}
}

func oddTools() []Tool {
	odd := func(name string, f func() (tools.Result, error)) Tool {
		return Tool{Name: name, MaxResult: 10, Call: func(context.Context, ToolCall) (tools.Result, error) { return f() }}
	}
	return []Tool{
		odd("fails", func() (tools.Result, error) { return tools.Result{}, errStore }),
		odd("panics", func() (tools.Result, error) { panic("boom") }),
		odd("breaks", func() (tools.Result, error) { var none *brokenError; return tools.Result{}, none }),
		odd("long", func() (tools.Result, error) { return tools.Text(strings.Repeat("é", 50)), nil }),
		odd("empty", func() (tools.Result, error) { return tools.Result{}, nil }),
		NewTool("picture", "", func(context.Context, ToolCall, struct{}) (agui.Content, error) {
			return agui.PartsContent(agui.Part{Type: agui.PartText, Text: "Look:"},
				agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/i.png"}}), nil
		}),
		NewTool("tells", "", func(context.Context, ToolCall, struct{}) (string, error) {
			return "", &tools.Error{Text: "No such city.", Err: errStore}
		}),
	}
}

// TestRow89ModelThatNeverStops ends after so many rounds of tools.
func TestRow89ModelThatNeverStops(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{}`))
	c := &counted{}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, MaxSteps: 3})
	codeOf(t, r.say("go"), errcode.NotConverged)
	equal(t, "called", len(c.called()), 3)
}

// TestRow110ModelErrorsHaveCodes ends turns with the codes of their models' errors, and says nothing of the causes.
func TestRow110ModelErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	for code, s := range map[errcode.Code]script{
		errcode.ModelAuth:          {Status: 401, Body: "boom"},
		errcode.ModelRequest:       {Status: 400, Body: "boom"},
		errcode.ModelResponse:      {Body: chunk(`"content":"A"`)},
		errcode.ModelContentFilter: {Body: finish("content_filter")},
		errcode.ModelUnavailable:   {Body: chunk(`"content":"A"`) + "\n" + `{"error":"boom"}`},
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, &LLM{Model: newMind(t, s).model()})
			out := r.say("go")
			codeOf(t, out, code)
			equal(t, "public", errcode.Public(out.err), code.Message())
		})
	}
}

func TestLLMCutOffInACall(t *testing.T) {
	t.Parallel()
	s := script{Body: strings.Replace(calls("f", `{"x":`).Body, "tool_calls\"}", "length\"}", 1)}
	r := newRig(t, &LLM{Model: newMind(t, s).model(), Tools: []Tool{(&counted{}).tool("f")}})
	codeOf(t, r.say("go"), errcode.ModelResponse)
}

// TestRow156TeamOfModels lets two models talk: each sees the other's words as a user's, with the name, and its own
// calls.
func TestRow156TeamOfModels(t *testing.T) {
	t.Parallel()
	first := newMind(t, calls("f", `{}`), says("Tea."), says("Still tea."))
	second := newMind(t, says("Why?"))
	c := &counted{}
	r := newRig(t, &Chat{Manager: RoundRobin(), MaxRounds: 3, Participants: []Participant{
		{Name: "ann", Agent: &LLM{Model: first.model(), Tools: []Tool{c.tool("f")}, Instructions: "A."}},
		{Name: "bob", Agent: &LLM{Model: second.model(), Sees: []string{"/topic", "/none"}}},
	}})
	r.state = json.RawMessage(`{"topic":"tea"}`)
	s := r.say("go")
	equal(t, "run", s.err, nil)
	team := "You are %. What others in this conversation say begins with their name."
	equal(t, "bob's", second.last(), "s:"+strings.Replace(team, "%", "bob", 1)+" | u:go | u:"+situationText+"\n\nThe state at \"/topic\" is now: \"tea\" | u:ann: Tea.")
	equal(t, "ann's", first.last(), "s:A.\n\n"+strings.Replace(team, "%", "ann", 1)+" | u:go | a: f{} | t:f done | a:Tea. | u:bob: Why?")
}

func TestLLMIsToldOfTheTurn(t *testing.T) {
	t.Parallel()
	m := newMind(t, says("Yes."))
	manager := func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			return Decision{Speaker: "ann", Done: v.Round > 1, Instruction: "Hurry."}, nil
		})
	}
	r := newRig(t, &Chat{Manager: manager, Participants: []Participant{{Name: "ann", Agent: &LLM{Model: m.model()}}}})
	r.messages = []Message{
		{ID: "d", Role: agui.RoleDeveloper, Content: agui.TextContent("In French.")},
		{ID: "x", Role: agui.RoleUser, Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "Look"},
			agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x.test/i.png"}})},
	}
	r.input = Input{Context: []agui.Context{{Description: "Time", Value: "noon"}}}
	s := r.run(Session{})
	equal(t, "run", s.err, nil)
	const system = "s:In French.\n\nYou are ann. What others in this conversation say begins with their name."
	const look = ` | u:[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"https://x.test/i.png"}}]`
	const now = " | u:" + situationText + "\n\nTime: noon\n\nFor this turn: Hurry."
	equal(t, "request", m.requests()[0], system+now+look)
	if m.last() != system+look+" | a:Yes."+now+"\n\nGo on." {
		t.Errorf("chosen again, it was asked %s", m.last())
	}
}

// TestRow24HandsOver gives a model the tools to hand over with.
func TestRow24HandsOver(t *testing.T) {
	t.Parallel()
	triage := newMind(t, calls("handoff_to_billing", `{}`, "handoff_to_sales", `{}`))
	billing := newMind(t, says("Paid."))
	r := newRig(t, &Chat{Manager: Handoff(HandoffOptions{Start: "triage"}), Participants: []Participant{
		{Name: "triage", Agent: &LLM{Model: triage.model()}},
		{Name: "billing", Description: "Money.", Agent: &LLM{Model: billing.model()}},
		{Name: "sales", Agent: &LLM{Model: newMind(t, says("?")).model()}},
	}})
	s := r.say("pay")
	equal(t, "run", s.err, nil)
	equal(t, "tools", triage.asked[0].tools(), "handoff_to_billing handoff_to_sales")
	equal(t, "steps", strings.Join(s.steps(), " "), "triage billing")
	equal(t, "asked", len(triage.asked), 1)
	equal(t, "stream", s.shape(), "triage { call handoff_to_billing call handoff_to_sales result "+handedOver+" result "+onlyOneOver+" } triage billing { Paid. } billing")
}

func TestLLMOutput(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)
	tests := []struct {
		name    string
		output  LLMOutput
		scripts []script
		shape   string
		state   string
		asked   int
		want    errcode.Code
	}{
		{"said", LLMOutput{}, []script{says(`{"city":"Paris"}`)}, `{"city":"Paris"}`, "{}", 1, ""},
		{"stored", LLMOutput{Store: "/trip"}, []script{says(`{"city":"Paris"}`)}, "state", `{"trip":{"city":"Paris"}}`, 1, ""},
		{"both", LLMOutput{Store: "/trip", Say: true}, []script{says("```json\n{\"city\":\"Paris\"}\n```")}, `state {"city":"Paris"}`, `{"trip":{"city":"Paris"}}`, 1, ""},
		{"mended", LLMOutput{}, []script{says(`Paris`), says(`{"town":"Paris"}`), says(`{"city":"Paris"}`)}, `{"city":"Paris"}`, "{}", 3, ""},
		{"among words", LLMOutput{Store: "/trip"}, []script{says(`Sure: {"city":"Paris"}. Or Rome [1], it is up to you.`)}, "state", `{"trip":{"city":"Paris"}}`, 1, ""},
		{"fenced among words", LLMOutput{}, []script{says("Here:\n```json\n{\"city\":\"Paris\"}\n```\nEnjoy!")}, `{"city":"Paris"}`, "{}", 1, ""},
		{"thought about", LLMOutput{}, []script{says(`<think>{"city":"Rome"}?</think>{"city":"Paris"}`)}, `{"city":"Paris"}`, "{}", 1, ""},
		{"byte order mark", LLMOutput{}, []script{says("\ufeff{\"city\":\"Paris\"}")}, `{"city":"Paris"}`, "{}", 1, ""},
		{"broken", LLMOutput{}, []script{says(`{"city":`)}, "", "", 3, errcode.ModelResponse},
		{"after tools", LLMOutput{}, []script{calls("f", `{}`), says(`{"city":"Paris"}`)}, `call f result f done {"city":"Paris"}`, "{}", 2, ""},
		{"refused", LLMOutput{}, []script{{Body: chunk(`"refusal":"No."`) + "\n" + finish("stop")}}, "", "", 1, errcode.ModelContentFilter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, tt.scripts...)
			tt.output.Schema, tt.output.Name = schema, "trip"
			r := newRig(t, &LLM{Model: m.model(), Output: &tt.output, Tools: []Tool{(&counted{}).tool("f")}})
			s := r.say("go")
			codeOf(t, s, tt.want)
			equal(t, "stream", s.shape(), tt.shape)
			equal(t, "state", string(r.state), tt.state)
			equal(t, "asked", len(m.asked), tt.asked)
			equal(t, "format", string(m.asked[0].ResponseFormat), `{"json_schema":{"name":"trip","schema":`+string(schema)+`},"type":"json_schema"}`)
		})
	}
}

func TestLLMValidate(t *testing.T) {
	t.Parallel()
	call := func(context.Context, ToolCall) (tools.Result, error) { return tools.Result{}, nil }
	a := &LLM{
		Tools: []Tool{
			{}, {Name: "a", Call: call}, {Name: "a", Call: call, Repeat: "x", Approve: "x", OnError: "x", Timeout: -1},
			{Name: "b", Call: call, Parameters: json.RawMessage(`{"$ref":"http://127.0.0.1/x"}`)},
			NewTool("c", "", func(context.Context, ToolCall, func()) (string, error) { return "", nil }),
			NewTool("d", "", func(context.Context, ToolCall, []string) (string, error) { return "", nil }),
		},
		Approve: tools.Approvals{Tools: []string{"z"}}, MaxSteps: -1, Sees: []string{"x"}, Output: &LLMOutput{Store: "x"},
	}
	err := a.Validate()
	if err == nil {
		t.Fatal("Validate() = nil")
	}
	for _, want := range []string{
		"has no model", `tool "": has no name`, `tool "": wants one of`, `tool "a" is there twice`, `unknown repeat "x"`, `unknown approval "x"`,
		`unknown error policy "x"`, `tool "b": parameters`, `tool "c": schema`, `tool "d": its arguments`, `approval of "z"`, "a limit is negative",
		`sees "x"`, "output: has no schema", `output goes to "x"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "%!") {
		t.Errorf("Validate() = %v, which names no cause", err)
	}
}

// TestACheckpointWithOtherCalls continues from a checkpoint that shows another number of calls than its reply makes.
func TestACheckpointWithOtherCalls(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{"x":1}`), says("Done."))
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{(&counted{}).tool("f")}, Approve: tools.Approvals{All: true}})
	must(t, r.say("go").err)
	for _, shown := range []string{`{}`, `[]`} {
		var c checkpoint
		must(t, json.Unmarshal(r.checkpoint, &c))
		c.Root.Memo["llm/0"] = json.RawMessage(shown)
		changed, err := json.Marshal(c)
		must(t, err)
		s, _ := r.execute(Session{Checkpoint: changed})
		codeOf(t, s, errcode.CheckpointIncompatible)
		if text := s.err.Error(); strings.Contains(text, "%!") || !strings.Contains(text, "llm/0") {
			t.Errorf("ended with %s, which names no cause", text)
		}
	}
}
