package groupchat

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

var variable = regexp.MustCompile(`\{\{(\w+):?(.*?)(?:\|(.*?))?\}\}`)

// fill returns text with values for its variables: what package template does, which tests of this package cannot
// import.
func fill(text string) func(View) string {
	return func(v View) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			part, value := variable.FindStringSubmatch(found), ""
			switch part[1] {
			case "input":
				m, _ := v.LastInput()
				value = m.Content.Text()
			case "last":
				value = v.LastAnswer(part[2])
			case "state":
				raw, _ := v.State.Raw(part[2])
				if json.Unmarshal(raw, &value) != nil {
					value = string(raw)
				}
			}
			if value == "" {
				return part[3]
			}
			return value
		})
	}
}

func message(role agui.Role, name, text string) Message {
	return Message{ID: name + text, Role: role, Name: name, Content: agui.TextContent(text)}
}

// inputOf returns an input: the text, or the value at the pointer of its only variable.
func inputOf(text string) func(View) (any, error) {
	return func(v View) (any, error) {
		if part := variable.FindStringSubmatch(text); part != nil && part[0] == text && part[1] == "state" {
			raw, _ := v.State.Raw(part[2])
			return raw, nil
		}
		return fill(text)(v), nil
	}
}

// instruct is a provider of instructions with variables.
func instruct(text string) Provider {
	return func(_ context.Context, _ *Turn, into *Prepared) error {
		into.Instructions = fill(text)(into.View)
		return nil
	}
}

// TestVariablesLookAtTheWholeConversation has a participant that sees nothing of the conversation and yet reads it by
// variables, a team with members that are known by the team's name, and two teams with members of one name.
func TestVariablesLookAtTheWholeConversation(t *testing.T) {
	t.Parallel()
	none := Context{Select: func(View) []Message { return []Message{} }}
	m := newMind(t, says("heard"))
	tell := func(text string) *LLM { return &LLM{Model: m.model(), Prepare: []Provider{instruct(text)}} }
	inner := team(Sequential(), Participant{Name: "scout", Agent: sayer("inner scout")},
		Participant{Name: "in", Agent: tell("{{last:scout}}/{{last:outer}}"), Context: none})
	other := team(Sequential(), Participant{Name: "scout", Agent: sayer("other scout")})
	r := newRig(t, team(Sequential(), Participant{Name: "outer", Agent: sayer("outer words")}, Participant{Name: "inner", Agent: inner},
		Participant{Name: "other", Agent: other},
		Participant{Name: "end", Agent: tell("{{input}}/{{last:inner}}/{{last:other}}/{{last:end|none}}"), Context: none}))
	must(t, r.say("question").err)
	requests := m.requests()
	equal(t, "within the team", requests[0], "s:inner scout/outer words\n\nYou are in. What others in this conversation say begins with their name. | u:Go on.")
	equal(t, "beside the teams", requests[1], "s:question/heard/other scout/none\n\nYou are end. What others in this conversation say begins with their name. | u:Go on.")
}

// TestAPromptIsWhatAParticipantIsTold holds the prompt of a participant to what it was when the turn began, over a
// pause.
func TestAPromptIsWhatAParticipantIsTold(t *testing.T) {
	t.Parallel()
	none := Context{Select: func(View) []Message { return []Message{} }}
	m := newMind(t, calls("note", `{}`), says("Short."))
	note := NewTurnTool("note", "Notes", func(_ context.Context, t *Turn, _ ToolCall, _ struct{}) (string, error) {
		if err := t.State().Set("/topic", "changed"); err != nil {
			return "", err
		}
		a, err := t.Ask(Question{Key: "q", Message: "Well?"})
		return string(a.Payload), err
	})
	agent := &LLM{Model: m.model(), Tools: []Tool{note}}
	prompt := fill("Summarise on {{state:/topic}}: {{last:researcher}}")
	r := newRig(t, team(Sequential(), Participant{Name: "researcher", Agent: sayer("Tea is hot.")},
		Participant{Name: "short", Agent: Sub(agent, SubOptions{Prompt: prompt}), Context: none}))
	r.state = json.RawMessage(`{"topic":"tea"}`)
	must(t, r.say("go").err)
	must(t, r.answer(map[string]string{"q": `"yes"`}).err)
	const told = "s:You are short. What others in this conversation say begins with their name. | u:Summarise on tea: Tea is hot."
	requests := m.requests()
	equal(t, "first", requests[0], told)
	equal(t, "after the pause", requests[1], told+` | a: note{} | t:"yes"`)
}

// TestComputedInputs are there when a turn begins, and are not computed again after a pause, nor after a takeover
// within the turn.
func TestComputedInputs(t *testing.T) {
	t.Parallel()
	scope := Scoping{Kind: ScopeIsolated, Inputs: map[string]func(View) (any, error){
		"question": inputOf("{{input}}"), "found": inputOf("{{last:researcher|nothing}}"), "n": inputOf("{{state:/n}}"),
	}}
	show := AgentFunc(func(ctx context.Context, t *Turn) error {
		if err := SayOnce(t, "s", string(t.State().JSON())); err != nil {
			return err
		}
		if err := t.State().Set("/n", 8); err != nil {
			return err
		}
		return asker("k").Run(ctx, t)
	})
	r := newRig(t, team(RoundRobin(), Participant{Name: "researcher", Agent: sayer("facts")}, Participant{Name: "w", Agent: show, Scope: scope}))
	r.root.(*Chat).MaxRounds = 4
	r.state = json.RawMessage(`{"n":7}`)
	must(t, r.say("why?").err)
	equal(t, "first", r.messages[2].Content.Text(), `{"found":"facts","n":7,"question":"why?"}`)
	must(t, r.answer(map[string]string{"k": "1"}).err) // and the second round
	equal(t, "again", r.messages[len(r.messages)-1].Content.Text(), `{"found":"facts","n":7,"question":"why?"}`)
	equal(t, "the team's", string(r.state), `{"n":7}`)

	scope.Inputs = map[string]func(View) (any, error){"x": func(View) (any, error) { panic("no") }}
	skip := Participant{Name: "w", Agent: show, Scope: scope, OnError: failure.Policy{Skip: true}}
	must(t, newRig(t, team(Sequential(), skip)).say("go").err)
	skip.Scope.Kind = ScopeShared
	if err := team(Sequential(), skip).Validate(); err == nil {
		t.Error("a shared state has inputs")
	}
}

// TestAReviewsQuestionKeepsItsText has the draft in the question, which stays what it is while the state changes.
func TestAReviewsQuestionKeepsItsText(t *testing.T) {
	t.Parallel()
	o := ReviewOptions{MessageOf: fill("{{last:w}}, for {{state:/who}}?")}
	r := newRig(t, team(Sequential(), Participant{Name: "w", Agent: Review(sayer("draft"), o)}))
	r.state = json.RawMessage(`{"who":"Ada"}`)
	must(t, r.say("go").err)
	equal(t, "asked", r.open[0].Message, "draft, for Ada?")
	r.state = json.RawMessage(`{"who":"Bob"}`)
	r.replay()
	must(t, r.answer(map[string]string{"review-1": `""`}).err)
	equal(t, "open", len(r.open), 0)
}

func TestARoutesInstructionMayHaveVariables(t *testing.T) {
	t.Parallel()
	to := Destination{Speaker: "a", InstructionOf: fill("Answer {{input}} on {{state:/k}}.")}
	tell := AgentFunc(func(_ context.Context, t *Turn) error { return SayOnce(t, "say", t.Instruction()) })
	r := newRig(t, team(RouteTo("/k", map[string]Destination{"tea": to}, Destination{}), Participant{Name: "a", Agent: tell}))
	r.state = json.RawMessage(`{"k":"tea"}`)
	must(t, r.say("why").err)
	equal(t, "told", r.messages[1].Content.Text(), "Answer why on tea.")
}
