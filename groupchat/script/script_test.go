package script

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// form is the script of the contract.
var form = &Agent{Description: "An order form", Steps: []Step{
	{Say: "Two questions first."},
	{AskMany: []Ask{
		{Key: "size", Message: "Which size?", Options: []any{"S", "M", "L"}},
		{Key: "colour", Message: "Which colour?", Options: []any{"red", "blue"}, TTL: time.Hour},
	}},
	{Set: &Set{Path: "/order", Value: map[string]any{"size": "${answers.size}", "colour": "${answers.colour}"}}},
	{Tool: &Tool{Name: "show_map", Arguments: map[string]any{"city": "Paris"}}},
	{Sleep: 2 * time.Second},
	{Say: "Ordered ${answers.size}, ${answers.show_map}."},
}}

func TestScriptOfTheContract(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		must(t, form.Validate())
		once := func(old, new json.RawMessage) (json.RawMessage, error) {
			if old != nil {
				t.Error("the order is set twice")
			}
			return new, nil
		}
		team := team(form)
		team.State.Reducers = document.Reducers{"/order": once}
		r := newThread(t, team)
		run := r.Say("hi")
		must(t, run.Err)
		size, colour := run.Questions[0], run.Questions[1]
		equal(t, "reason", size.Reason, "input_required")
		equal(t, "ttl", []time.Duration{size.TTL, colour.TTL}, []time.Duration{0, time.Hour})
		equal(t, "question", []string{size.Message, string(size.Options)}, []string{"Which size?", `["S","M","L"]`})
		equal(t, "schema", string(size.Schema), `{"properties":{"value":{"enum":["S","M","L"]}},"required":["value"],"type":"object"}`)
		must(t, state.ValidateAnswer(size.Schema, json.RawMessage(`{"value":"M"}`)))
		if state.ValidateAnswer(size.Schema, json.RawMessage(`{"value":"XL"}`)) == nil {
			t.Error("the schema takes what is no option")
		}
		run = r.Answer(given(map[string]string{"size": `{"value":"M"}`, "colour": `{"value":"red"}`}))
		must(t, run.Err)
		equal(t, "order", string(run.State), `{"order":{"colour":"red","size":"M"}}`)
		equal(t, "call", run.Calls[0].Name, "show_map")
		began := time.Now()
		run = r.Answer(map[string]any{"show_map": `{"zoom":3}`})
		must(t, run.Err)
		equal(t, "slept", time.Since(began), 2*time.Second)
		equal(t, "last words", run.Text, `Ordered M, {"zoom":3}.`)
	})
}

func TestScriptBeginsAgainWithEveryMessage(t *testing.T) {
	t.Parallel()
	s := &Agent{Steps: []Step{
		{Ask: &Ask{Key: "k", Message: "k?"}}, {Set: &Set{Path: "/k", Value: "${answers.k}"}},
		{Set: &Set{Path: "/text", Value: []any{"is ${answers.k}", 7, nil, true}}},
	}}
	for _, root := range []groupchat.Agent{s, team(s)} {
		r := newThread(t, root)
		for _, test := range [][2]string{
			{`{"value":{"a":1}}`, `{"k":{"a":1},"text":["is {\"a\":1}",7,null,true]}`},
			{`12345678901234567890`, `{"k":12345678901234567890,"text":["is 12345678901234567890",7,null,true]}`},
			{`false`, `{"k":false,"text":["is false",7,null,true]}`},
			{`{"value":null}`, `{"k":null,"text":["is ",7,null,true]}`},
			{`"x"`, `{"k":"x","text":["is x",7,null,true]}`},
		} {
			must(t, r.Say("go").Err)
			run := r.Answer(given(map[string]string{"k": test[0]}))
			must(t, run.Err)
			equal(t, test[0], string(run.State), test[1])
		}
	}
}

func TestScriptCalledOffSaysSo(t *testing.T) {
	t.Parallel()
	r := newThread(t, form)
	must(t, r.Say("hi").Err)
	run := r.Answer(given(map[string]string{"size": `"S"`, "colour": "cancel"}))
	must(t, run.Err)
	equal(t, "history", texts(r.Thread().Messages()), []string{"hi", "Two questions first.", cancelledText})
	equal(t, "state", string(run.State), "{}")
}

func TestScriptFailsAsItsAuthorSays(t *testing.T) {
	t.Parallel()
	s := &Agent{Steps: []Step{{Fail: &Fail{Code: "sold_out", Message: "We are sold out."}}}}
	out := newThread(t, team(s)).Say("x")
	codeOf(t, out, "sold_out")
	var told []string
	for _, e := range out.Events {
		switch e := e.(type) {
		case *agui.RunError:
			told = append(told, e.Message)
		case *agui.SubagentError:
			told = append(told, e.Message)
		}
	}
	equal(t, "told", told, []string{"We are sold out.", "We are sold out."})
	out = newThread(t, &Agent{Steps: []Step{{Fail: &Fail{}}}}).Say("x")
	codeOf(t, out, errcode.AgentFailed)
	equal(t, "sentence", out.Events[len(out.Events)-1].(*agui.RunError).Message, errcode.AgentFailed.Message())
}

func TestScriptValidateReportsEveryMistake(t *testing.T) {
	t.Parallel()
	ask := func(a Ask) Step { return Step{Ask: &a} }
	for _, test := range []struct {
		name  string
		steps []Step
		want  []string
	}{
		{"none", nil, []string{"has no steps"}},
		{"nothing", []Step{{}}, []string{"step 1: does 0 things"}},
		{"two things", []Step{{Say: "a", Sleep: 1}}, []string{"step 1: does 2 things"}},
		{"key", []Step{ask(Ask{Message: "m"}), ask(Ask{Key: "a#", Message: "m"})}, []string{"step 1: ask: a question has no key", "step 2: ask: the key"}},
		{"twice", []Step{ask(Ask{Key: "a", Message: "m"}), ask(Ask{Key: "a", Message: "m"})}, []string{`step 2: the key "a" is taken by a question`}},
		{"twice at once", []Step{{AskMany: []Ask{{Key: "a", Message: "m"}, {Key: "a", Message: "m"}}}}, []string{`the key "a" is taken`}},
		{"tool and question", []Step{ask(Ask{Key: "a", Message: "m"}), {Tool: &Tool{Name: "a"}}}, []string{`step 2: the key "a" is taken by a question`}},
		{"a tool twice", []Step{{Tool: &Tool{Name: "a"}}, {Tool: &Tool{Name: "a"}}}, nil},
		{"message", []Step{ask(Ask{Key: "a"})}, []string{"has no message"}},
		{"options", []Step{ask(Ask{Key: "a", Message: "m", Options: []any{}})}, []string{"no options to choose from"}},
		{"ttl", []Step{ask(Ask{Key: "a", Message: "m", TTL: -1})}, []string{"ttl"}},
		{"no questions", []Step{{AskMany: []Ask{}}}, []string{"ask_many: has no questions"}},
		{"path", []Step{{Set: &Set{Path: "a"}}}, []string{"set: path"}},
		{"value", []Step{{Set: &Set{Path: "/a", Value: map[any]any{1: 2}}}}, []string{"set: the value is not JSON"}},
		{"tool", []Step{{Tool: &Tool{Arguments: []any{}}}}, []string{"tool: has no name", "not an object"}},
		{"sleep", []Step{{Sleep: -1}}, []string{"less than nothing"}},
		{"code", []Step{{Fail: &Fail{Code: "Sold Out"}}}, []string{`the code "Sold Out"`}},
		{"unknown", []Step{{Say: "${answers.a} ${answers.a}"}, ask(Ask{Key: "a", Message: "m ${answers.a}"})},
			[]string{"step 1: ${answers.a}", "step 2: ${answers.a}"}},
		{"unknown inside", []Step{{Set: &Set{Path: "/a", Value: map[string]any{"x": []any{"${answers.b}"}}}}}, []string{"step 1: ${answers.b}"}},
		{"not ours", []Step{{Say: "${other} $answers.a {answers.b}"}}, nil},
	} {
		err := (&Agent{Steps: test.steps}).Validate()
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

// TestAChangedScriptGoesOnOnlyIfItIsTheSameSoFar inserts, removes and changes steps. Results are known by their place,
// so only steps after the question may have another form; texts may change anywhere.
func TestAChangedScriptGoesOnOnlyIfItIsTheSameSoFar(t *testing.T) {
	t.Parallel()
	say := func(text string) Step { return Step{Say: text} }
	set := func(path string) Step { return Step{Set: &Set{Path: path, Value: path}} }
	ask := func(key string) Step { return Step{Ask: &Ask{Key: key, Message: key + "?"}} }
	before := []Step{say("Hello."), set("/a"), ask("k"), set("/b"), say("Bye.")}
	for name, tt := range map[string]struct {
		after []Step
		want  string // empty if it does not continue
	}{
		"the same":            {before, "p { state Bye. } p"},
		"another text before": {append([]Step{say("Good morning.")}, before[1:]...), "p { state Bye. } p"},
		"another value":       {[]Step{before[0], set("/c"), before[2], before[3], before[4]}, "p { state Bye. } p"},
		"another end":         {[]Step{before[0], before[1], before[2], say("So long."), set("/c")}, "p { So  long. state } p"},
		"one more before":     {append([]Step{set("/new")}, before...), ""},
		"one less before":     {before[1:], ""},
		"another order":       {[]Step{before[1], before[0], before[2], before[3], before[4]}, ""},
		"another question":    {[]Step{before[0], before[1], ask("other"), before[3]}, ""},
		"cut off":             {before[:2], ""},
	} {
		for _, wrap := range []func(groupchat.Agent) groupchat.Agent{
			func(a groupchat.Agent) groupchat.Agent { return a },
			func(a groupchat.Agent) groupchat.Agent { return groupchat.Sub(a, groupchat.SubOptions{}) },
			func(a groupchat.Agent) groupchat.Agent {
				return groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return a.Run(ctx, t) })
			},
		} {
			one, other := wrap(&Agent{Steps: before}), wrap(&Agent{Steps: tt.after})
			r := newThread(t, team(one))
			must(t, r.Say("x").Err)
			r.Upgrade(team(other))
			s := r.Answer(given(map[string]string{"k": "true"}))
			_, opaque := one.(groupchat.AgentFunc)
			switch {
			case tt.want == "" && errcode.Of(s.Err) != errcode.CheckpointIncompatible, tt.want == "" && !opaque && len(s.Events) != 3:
				t.Errorf("%s: ended with %v: %s", name, s.Err, s.Shape())
			case tt.want != "" && (s.Err != nil || s.Shape() != tt.want):
				t.Errorf("%s: ended with %v: %s, want %s", name, s.Err, s.Shape(), tt.want)
			}
		}
	}
}

// TestAChangedScriptTakesNoOtherCallsResult is the same for a tool of the client's.
func TestAChangedScriptTakesNoOtherCallsResult(t *testing.T) {
	t.Parallel()
	script := func(tools ...string) groupchat.Agent {
		s := &Agent{}
		for _, name := range tools {
			s.Steps = append(s.Steps, Step{Tool: &Tool{Name: name}}, Step{Say: "${answers." + name + "}"})
		}
		return s
	}
	r := newThread(t, script("pay", "show"))
	must(t, r.Say("x").Err)
	r.Upgrade(script("show", "pay"))
	out := r.Answer(map[string]any{"pay": "paid"})
	codeOf(t, out, errcode.CheckpointIncompatible)
	equal(t, "sent", out.Shape(), "")
}
