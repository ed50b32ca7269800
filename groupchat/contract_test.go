package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state/document"
)

// paper is a contract: a topic of words in, an answer of words out.
var paper = Contract{
	Inputs:  json.RawMessage(`{"required":["topic"],"properties":{"topic":{"type":"string","minLength":1},"pages":{"type":"integer"}},"additionalProperties":false}`),
	Outputs: json.RawMessage(`{"required":["answer"],"properties":{"answer":{"type":"string"}}}`),
}

// writing is a participant of that contract that writes the value.
func writing(value any) (Participant, *int) {
	began := new(int)
	agent := AgentFunc(func(ctx context.Context, t *Turn) error {
		*began++
		if err := t.State().Set("/topic", 5); err != nil { // the checked state is a copy now
			return err
		}
		if err := asker("k").Run(ctx, t); err != nil {
			return err
		}
		return t.State().Set("/answer", value)
	})
	return Participant{Name: "w", Agent: WithContract(agent, paper), Scope: Scoping{
		Kind:    ScopeMapped,
		Mapping: document.Mapping{In: map[string]string{"topic": "/subject", "pages": "/pages"}, Out: map[string]string{"/answer": "/result"}},
	}}, began
}

func TestAContractIsHeld(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state  string
		answer any
		code   errcode.Code
		began  bool
		result string
	}{
		"fits":                {`{"subject":"tea"}`, "hot", "", true, `"hot"`},
		"fits with more":      {`{"subject":"tea","pages":3}`, "hot", "", true, `"hot"`},
		"without an input":    {`{}`, "hot", errcode.ContractViolation, false, ""},
		"an empty input":      {`{"subject":""}`, "hot", errcode.ContractViolation, false, ""},
		"an input of a type":  {`{"subject":"tea","pages":"three"}`, "hot", errcode.ContractViolation, false, ""},
		"an output of a type": {`{"subject":"tea"}`, 7, errcode.ContractViolation, true, ""},
	} {
		p, began := writing(tt.answer)
		r := newRig(t, team(Sequential(), p))
		r.state = json.RawMessage(tt.state)
		s := r.say("go")
		if s.err == nil {
			s = r.answer(map[string]string{"k": "1"})
		}
		if tt.code != "" {
			codeOf(t, s, tt.code)
			if strings.Contains(s.err.Error(), "three") || strings.Contains(s.err.Error(), "tea") {
				t.Errorf("%s: the error quotes a value: %v", name, s.err)
			}
		} else {
			must(t, s.err)
		}
		equal(t, name+": began", *began > 0, tt.began)
		var got struct{ Result json.RawMessage }
		_ = json.Unmarshal(r.state, &got)
		equal(t, name+": copied", string(got.Result), tt.result)
	}
}

// TestAContractBrokenIsNotTriedAgain lets the team continue without the participant, as its policy says.
func TestAContractBrokenIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	p, began := writing("hot")
	p.OnError = failure.Policy{Retries: 3, Backoff: -1, Skip: true}
	r := newRig(t, team(Sequential(), p, Participant{Name: "z", Agent: sayer("on")}))
	must(t, r.say("go").err)
	equal(t, "began", *began, 0)
	equal(t, "goes on", r.messages[1].Content.Text(), "on")
}

// TestAContractAroundASubAndATool is the same wherever an agent gets its state.
func TestAContractAroundASubAndATool(t *testing.T) {
	t.Parallel()
	agent := WithContract(AgentFunc(func(_ context.Context, t *Turn) error {
		if err := t.State().Set("/answer", "hot"); err != nil {
			return err
		}
		return SayOnce(t, "s", "said")
	}), paper)
	for given, code := range map[string]errcode.Code{`"tea"`: "", `7`: errcode.ContractViolation} {
		input := func(View) (any, error) { return json.RawMessage(given), nil }
		in := Sub(agent, SubOptions{State: Scoping{Kind: ScopeIsolated}, Inputs: map[string]func(View) (any, error){"topic": input}})
		s := newRig(t, team(Sequential(), Participant{Name: "in", Agent: in})).say("go")
		tool := AsTool(agent, AsToolOptions{Name: "ask", Description: "x", Scope: Scoping{Kind: ScopeIsolated, Inputs: map[string]func(View) (any, error){"topic": input}}})
		tool.Approve, tool.OnError = tools.ApproveNever, tools.Fails
		m := newMind(t, calls("ask", `{"query":"x"}`), says("Done."))
		called := newRig(t, &LLM{Model: m.model(), Tools: []Tool{tool}}).say("go")
		if code == "" {
			must(t, s.err)
			must(t, called.err)
			continue
		}
		codeOf(t, s, code)
		if called.err == nil {
			t.Error("the tool's turn did not fail")
		}
	}
}

func TestContractsThatScopesDoNotFit(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(p *Participant){
		`requires the input "topic"`:  func(p *Participant) { p.Scope.Mapping.In = nil },
		`has no input "other"`:        func(p *Participant) { p.Scope.Mapping.In["other"] = "/x" },
		`has no input "computed"`:     func(p *Participant) { p.Scope.Inputs = map[string]func(View) (any, error){"computed": FromState("/x")} },
		`has no output "/else/x"`:     func(p *Participant) { p.Scope.Mapping.Out["/else/x"] = "/x" },
		`has a contract and no agent`: func(p *Participant) { p.Agent = WithContract(nil, Contract{}) },
		`inputs: no valid schema`: func(p *Participant) {
			p.Agent = WithContract(sayer("x"), Contract{Inputs: json.RawMessage(`{"type":3}`)})
		},
		`outputs: no valid schema`: func(p *Participant) {
			p.Agent = WithContract(sayer("x"), Contract{Outputs: json.RawMessage(`{"$ref":"http://x"}`)})
		},
		`not the schema of an object`: func(p *Participant) { p.Agent = WithContract(sayer("x"), Contract{Inputs: json.RawMessage(`true`)}) },
		`"sub": its contract requires`: func(p *Participant) {
			p.Agent, p.Scope = Sub(p.Agent, SubOptions{State: Scoping{Kind: ScopeIsolated}}), Scoping{}
		},
		`"w": its contract requires the`: func(p *Participant) {
			p.Agent, p.Scope = Review(p.Agent, ReviewOptions{}), Scoping{Kind: ScopeIsolated}
		},
	} {
		p, _ := writing("x")
		must(t, team(Sequential(), p).Validate())
		change(&p)
		if err := team(Sequential(), p).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %s", err, want)
		}
	}
}
