package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// viewOf is a view of a state with a conversation, as somebody has it who makes one in a test.
func viewOf(t testing.TB, raw string, messages ...Message) View {
	t.Helper()
	scope, err := document.Isolated(json.RawMessage(raw), document.Options{})
	must(t, err)
	return View{State: scope}.WithHistory(messages)
}

func message(role agui.Role, name, text string) Message {
	return Message{ID: name + text, Role: role, Name: name, Content: agui.TextContent(text)}
}

func TestATemplatesVariablesAreValues(t *testing.T) {
	t.Parallel()
	v := viewOf(t, `{"topic":"tea","n":7,"list":["a","b"],"none":"","empty":{"x":[]},"odd":{"a/b":"slash"},"evil":"{{input}} {{state:/topic}}"}`,
		message(agui.RoleUser, "", "first"), message(agui.RoleAssistant, "researcher", "early"), message(agui.RoleUser, "", "{{state:/topic}}?"),
		message(agui.RoleAssistant, "researcher", "found it"), message(agui.RoleAssistant, "writer", "wrote it"))
	for text, want := range map[string]string{
		"plain":                     "plain",
		"":                          "",
		"On {{state:/topic}}.":      "On tea.",
		"{{state:/n}}{{state:/n}}":  "77",
		"{{ state:/list }}":         `["a","b"]`,
		"{{state:/odd/a~1b}}":       "slash",
		"[{{state:/no}}]":           "[]",
		"[{{state:/none|nothing}}]": "[nothing]",
		"[{{state:/empty|a|b}}]":    "[a|b]",
		"{{state:/topic|else}}":     "tea",
		"{{input}}":                 "{{state:/topic}}?",
		"{{last:researcher}}":       "found it",
		"{{last:nobody|-}}":         "-",
		"{{state:/evil}}":           "{{input}} {{state:/topic}}",
		"{{{{input}} is {{input}}":  "{{input}} is {{state:/topic}}?",
		"a }} b } { c":              "a }} b } { c",
		"ünï {{last:writer}} ✓":     "ünï wrote it ✓",
	} {
		p, err := ParseTemplate(text)
		must(t, err)
		equal(t, text, p.Text(v), want)
	}
	for _, bad := range []string{
		"{{", "a {{input", "{{nope}}", "{{Input}}", "{{state}}", "{{state:}}", "{{state:topic}}", "{{state:/a~2}}", "{{last}}", "{{last:}}",
		"{{input:x}}", "{{}}", "{{|x}}", "{{.Name}}", strings.Repeat("{{input}}", MaxVariables+1),
	} {
		if _, err := ParseTemplate(bad); err == nil {
			t.Errorf("ParseTemplate(%q) has no error", bad)
		}
	}
}

func TestWhatATemplatePutsInIsBounded(t *testing.T) {
	t.Parallel()
	p, err := ParseTemplate("{{input}}|{{state:/x}}")
	must(t, err)
	long := strings.Repeat("ä", MaxInserted)
	text := p.Text(viewOf(t, `{"x":"`+long+`"}`, message(agui.RoleUser, "", long)))
	for part := range strings.SplitSeq(text, "|") {
		if len(part) > MaxInserted+len("…") || !strings.HasSuffix(part, "ä…") {
			t.Errorf("%d bytes are put in, ending in %q", len(part), part[len(part)-6:])
		}
	}
}

func TestATemplateThatIsOneValueIsThatValue(t *testing.T) {
	t.Parallel()
	v := viewOf(t, `{"n":7,"list":[1]}`, message(agui.RoleUser, "", "hi"))
	for text, want := range map[string]string{
		"{{state:/n}}": "7", "{{state:/list}}": "[1]", "{{state:/no}}": "null", "{{state:/no|x}}": `"x"`, "n={{state:/n}}": `"n=7"`, "{{input}}": `"hi"`,
	} {
		p, err := ParseTemplate(text)
		must(t, err)
		value, err := p.Value(v)
		must(t, err)
		raw, err := json.Marshal(value)
		must(t, err)
		equal(t, text, string(raw), want)
	}
}

func TestExpandedTextIsNotReadAgain(t *testing.T) {
	t.Parallel()
	p, err := ParseTemplate("${X} {{input|${X}}}!")
	must(t, err)
	q := p.Expand(func(text string) string { return strings.ReplaceAll(text, "${X", "{{input") })
	equal(t, "expanded", q.Text(viewOf(t, `{}`, message(agui.RoleUser, "", "hi"))), "{{input} hi}!")
	equal(t, "the first", p.Text(viewOf(t, `{}`)), "${X} ${X}!")
}

// TestVariablesLookAtTheWholeConversation has a participant that sees nothing of the conversation and yet reads it by
// variables, a team with members that are known by the team's name, and two teams with members of one name.
func TestVariablesLookAtTheWholeConversation(t *testing.T) {
	t.Parallel()
	none := Context{Select: func(View) []Message { return []Message{} }}
	m := newMind(t, says("heard"))
	tell := func(text string) *LLM { return &LLM{Model: m.model(), Prepare: []Provider{template(t, text).Prepare}} }
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
	prompt := template(t, "Summarise on {{state:/topic}}: {{last:researcher}}").Text
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
		"question": template(t, "{{input}}").Value, "found": template(t, "{{last:researcher|nothing}}").Value, "n": template(t, "{{state:/n}}").Value,
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
	skip := Participant{Name: "w", Agent: show, Scope: scope, OnError: ErrorPolicy{Skip: true}}
	must(t, newRig(t, team(Sequential(), skip)).say("go").err)
	skip.Scope.Kind = ScopeShared
	if err := team(Sequential(), skip).Validate(); err == nil {
		t.Error("a shared state has inputs")
	}
}

// TestAReviewsQuestionKeepsItsText has the draft in the question, which stays what it is while the state changes.
func TestAReviewsQuestionKeepsItsText(t *testing.T) {
	t.Parallel()
	o := ReviewOptions{MessageOf: template(t, "{{last:w}}, for {{state:/who}}?").Text}
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
	to := Destination{Speaker: "a", InstructionOf: template(t, "Answer {{input}} on {{state:/k}}.").Text}
	tell := AgentFunc(func(_ context.Context, t *Turn) error { return SayOnce(t, "say", t.Instruction()) })
	r := newRig(t, team(RouteTo("/k", map[string]Destination{"tea": to}, Destination{}), Participant{Name: "a", Agent: tell}))
	r.state = json.RawMessage(`{"k":"tea"}`)
	must(t, r.say("why").err)
	equal(t, "told", r.messages[1].Content.Text(), "Answer why on tea.")
}

func template(t testing.TB, text string) *Template {
	t.Helper()
	p, err := ParseTemplate(text)
	must(t, err)
	return p
}

// FuzzParseTemplate wants any text to be a template or an error, templates to put nothing of a value's variables in,
// and text in which no brace stands twice to be itself.
func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"", "{{input}}", "{{{{", "{{state:/a~1b|c}}", "{{last:x}}{{date}}", "a{{", "}}{{input|{{}}", "{{{input}}}"} {
		f.Add(seed, "{{input}}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		p, err := ParseTemplate(text)
		if err != nil {
			if len(err.Error()) > 500 {
				t.Errorf("the error is of %d bytes", len(err.Error()))
			}
			return
		}
		if !strings.Contains(text, "{{") {
			equal(t, "text", p.Text(View{}), text)
		}
		if len(p.Variables()) == 0 || strings.ContainsAny(value, "\x00") {
			return
		}
		v := View{}.WithHistory([]Message{message(agui.RoleUser, "", value)})
		room := len(text) + (MaxInserted+3)*len(p.Variables())
		if got := p.Text(v); len(got) > room {
			t.Errorf("%d bytes of at most %d", len(got), room)
		}
		if in, ok := strings.CutSuffix(text, "{{input}}"); ok && !strings.HasSuffix(in, "{{") && strings.TrimSpace(value) != "" && len(value) < MaxInserted {
			if got := p.Text(v); !strings.HasSuffix(got, value) {
				t.Errorf("%q ends in %q, not in %q", text, got, value)
			}
		}
	})
}
