package groupchat

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// form is the script of the contract.
var form = &Script{Description: "An order form", Steps: []ScriptStep{
	{Say: "Two questions first."},
	{AskMany: []ScriptAsk{
		{Key: "size", Message: "Which size?", Options: []any{"S", "M", "L"}},
		{Key: "colour", Message: "Which colour?", Options: []any{"red", "blue"}, TTL: time.Hour},
	}},
	{Set: &ScriptSet{Path: "/order", Value: map[string]any{"size": "${answers.size}", "colour": "${answers.colour}"}}},
	{Tool: &ScriptTool{Name: "show_map", Arguments: map[string]any{"city": "Paris"}}},
	{Sleep: 2 * time.Second},
	{Say: "Ordered ${answers.size}, ${answers.show_map}."},
}}

func TestScriptOfTheContract(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		must(t, form.Validate())
		r := newRig(t, form)
		r.reducers = state.Reducers{"/order": func(old, new json.RawMessage) (json.RawMessage, error) {
			if old != nil {
				t.Error("the order is set twice")
			}
			return new, nil
		}}
		must(t, r.say("hi").err)
		size, colour := r.question("size"), r.question("colour")
		equal(t, "reason", size.Reason, "input_required")
		equal(t, "ttl", []time.Duration{size.TTL, colour.TTL}, []time.Duration{0, time.Hour})
		equal(t, "value", string(size.Metadata["value"]), `{"message":"Which size?","options":["S","M","L"]}`)
		equal(t, "schema", string(size.ResponseSchema),
			`{"properties":{"value":{"enum":["S","M","L"]}},"required":["value"],"type":"object"}`)
		must(t, state.ValidateAnswer(size.ResponseSchema, json.RawMessage(`{"value":"M"}`)))
		if state.ValidateAnswer(size.ResponseSchema, json.RawMessage(`{"value":"XL"}`)) == nil {
			t.Error("the schema takes what is no option")
		}
		must(t, r.answer(map[string]string{"size": `{"value":"M"}`, "colour": `"{\"value\":\"red\"}"`}).err)
		equal(t, "order", string(r.state), `{"order":{"colour":"red","size":"M"}}`)
		equal(t, "call", r.calls[0].Name, "show_map")
		began := time.Now()
		must(t, r.returns(map[string]string{"show_map": `{"zoom":3}`}).err)
		equal(t, "slept", time.Since(began), 2*time.Second)
		equal(t, "last words", r.messages[len(r.messages)-1].Content.Text(), `Ordered M, {"zoom":3}.`)
	})
}

func TestScriptBeginsAgainWithEveryMessage(t *testing.T) {
	t.Parallel()
	s := &Script{Steps: []ScriptStep{
		{Ask: &ScriptAsk{Key: "k", Message: "k?"}}, {Set: &ScriptSet{Path: "/k", Value: "${answers.k}"}},
		{Set: &ScriptSet{Path: "/text", Value: []any{"is ${answers.k}", 7, nil, true}}},
	}}
	for _, root := range []Agent{s, team(Sequential(), Participant{Name: "p", Agent: s})} {
		r := newRig(t, root)
		for _, test := range [][2]string{
			{`{"value":{"a":1}}`, `{"k":{"a":1},"text":["is {\"a\":1}",7,null,true]}`},
			{`12345678901234567890`, `{"k":12345678901234567890,"text":["is 12345678901234567890",7,null,true]}`},
			{`false`, `{"k":false,"text":["is false",7,null,true]}`},
			{`{"value":null}`, `{"k":null,"text":["is ",7,null,true]}`},
			{`"x"`, `{"k":"x","text":["is x",7,null,true]}`},
		} {
			must(t, r.say("go").err)
			must(t, r.answer(map[string]string{"k": test[0]}).err)
			equal(t, test[0], string(r.state), test[1])
		}
	}
}

func TestScriptCalledOffSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t, form)
	must(t, r.say("hi").err)
	must(t, r.answer(map[string]string{"size": `"S"`, "colour": "cancel"}).err)
	equal(t, "history", texts(r.messages), []string{"hi", "Two questions first.", calledOff})
	equal(t, "state", string(r.state), "{}")
}

func TestScriptFailsAsItsAuthorSays(t *testing.T) {
	t.Parallel()
	s := &Script{Steps: []ScriptStep{{Fail: &ScriptFail{Code: "sold_out", Message: "We are sold out."}}}}
	out := newRig(t, team(Sequential(), Participant{Name: "p", Agent: s})).say("x")
	codeOf(t, out, "sold_out")
	var told []string
	for _, e := range out.events {
		switch e := e.(type) {
		case *agui.RunError:
			told = append(told, e.Message)
		case *agui.SubagentError:
			told = append(told, e.Message)
		}
	}
	equal(t, "told", told, []string{"We are sold out.", "We are sold out."})
	out = newRig(t, &Script{Steps: []ScriptStep{{Fail: &ScriptFail{}}}}).say("x")
	codeOf(t, out, agui.CodeAgentFailed)
	equal(t, "sentence", public(out.err), agui.CodeAgentFailed.Message())
}

func TestScriptValidateReportsEveryMistake(t *testing.T) {
	t.Parallel()
	ask := func(a ScriptAsk) ScriptStep { return ScriptStep{Ask: &a} }
	for _, test := range []struct {
		name  string
		steps []ScriptStep
		want  []string
	}{
		{"none", nil, []string{"has no steps"}},
		{"nothing", []ScriptStep{{}}, []string{"step 1: does 0 things"}},
		{"two things", []ScriptStep{{Say: "a", Sleep: 1}}, []string{"step 1: does 2 things"}},
		{"key", []ScriptStep{ask(ScriptAsk{Message: "m"}), ask(ScriptAsk{Key: "a#", Message: "m"})}, []string{"step 1: ask: a question has no key", "step 2: ask: the key"}},
		{"twice", []ScriptStep{ask(ScriptAsk{Key: "a", Message: "m"}), ask(ScriptAsk{Key: "a", Message: "m"})}, []string{`step 2: the key "a" is taken by a question`}},
		{"twice at once", []ScriptStep{{AskMany: []ScriptAsk{{Key: "a", Message: "m"}, {Key: "a", Message: "m"}}}}, []string{`the key "a" is taken`}},
		{"tool and question", []ScriptStep{ask(ScriptAsk{Key: "a", Message: "m"}), {Tool: &ScriptTool{Name: "a"}}}, []string{`step 2: the key "a" is taken by a question`}},
		{"a tool twice", []ScriptStep{{Tool: &ScriptTool{Name: "a"}}, {Tool: &ScriptTool{Name: "a"}}}, nil},
		{"message", []ScriptStep{ask(ScriptAsk{Key: "a"})}, []string{"has no message"}},
		{"options", []ScriptStep{ask(ScriptAsk{Key: "a", Message: "m", Options: []any{}})}, []string{"no options to choose from"}},
		{"ttl", []ScriptStep{ask(ScriptAsk{Key: "a", Message: "m", TTL: -1})}, []string{"ttl"}},
		{"no questions", []ScriptStep{{AskMany: []ScriptAsk{}}}, []string{"ask_many: has no questions"}},
		{"path", []ScriptStep{{Set: &ScriptSet{Path: "a"}}}, []string{"set: path"}},
		{"value", []ScriptStep{{Set: &ScriptSet{Path: "/a", Value: map[any]any{1: 2}}}}, []string{"set: the value is not JSON"}},
		{"tool", []ScriptStep{{Tool: &ScriptTool{Arguments: []any{}}}}, []string{"tool: has no name", "not an object"}},
		{"sleep", []ScriptStep{{Sleep: -1}}, []string{"less than nothing"}},
		{"code", []ScriptStep{{Fail: &ScriptFail{Code: "Sold Out"}}}, []string{`the code "Sold Out"`}},
		{"unknown", []ScriptStep{{Say: "${answers.a} ${answers.a}"}, ask(ScriptAsk{Key: "a", Message: "m ${answers.a}"})},
			[]string{"step 1: ${answers.a}", "step 2: ${answers.a}"}},
		{"unknown inside", []ScriptStep{{Set: &ScriptSet{Path: "/a", Value: map[string]any{"x": []any{"${answers.b}"}}}}}, []string{"step 1: ${answers.b}"}},
		{"not ours", []ScriptStep{{Say: "${other} $answers.a {answers.b}"}}, nil},
	} {
		err := (&Script{Steps: test.steps}).Validate()
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: Validate() = %v", test.name, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: Validate() = %v, want it to contain %q", test.name, err, want)
			}
		}
		if test.name == "unknown" && strings.Count(err.Error(), "step 1") != 1 {
			t.Errorf("Validate() = %v, want each unknown reference once", err)
		}
	}
}
