package groupchat

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// shownCard is what the question about a call shows.
func shownCard(t *testing.T, i ask.Interrupt) (c struct {
	Message, Agent string
	approval.Card
}) {
	t.Helper()
	if err := json.Unmarshal(i.Metadata["value"], &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestApprovalQuestionsShowTheCall: the question has the call, its arguments and the reason; an incomplete display says
// so and cannot be edited.
func TestApprovalQuestionsShowTheCall(t *testing.T) {
	t.Parallel()
	long := `{"note":"` + strings.Repeat("x", approval.MaxArguments) + `"}`
	schema := json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"to":{"$ref":"#/$defs/address"},"note":{"type":"string","default":{"$ref":"#/x"}}},"$defs":{"address":{"type":"string","minLength":3}}}`)
	large := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("d", approval.MaxSchema) + `"}`)
	mask := Hooks{Name: "mask", Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			switch e := e.(type) {
			case *agui.ToolCallArgs:
				e.Delta = strings.ReplaceAll(e.Delta, "secret", "******")
			case *agui.TextMessageContent:
				e.Delta = strings.ReplaceAll(e.Delta, "secret", "******")
			}
			return next(e)
		}
	}}
	tests := []struct {
		name, words, arguments string
		parameters             json.RawMessage
		hooks                  []Hooks
		why, shown             string
		truncated, masked      bool
		schema                 bool
		good, bad              []string // edited arguments
	}{
		{name: "plain", words: "Bob wants it.", arguments: `{"to":"bob"}`, parameters: schema, why: "Bob wants it.", shown: `{"to":"bob"}`, schema: true,
			good: []string{`{"to":"ann"}`, `{}`}, bad: []string{`{"to":"a"}`, `{"to":1}`, `"text"`, `[]`}},
		{name: "nothing said", arguments: `{}`, parameters: schema, shown: `{}`, schema: true, good: []string{`{"to":"ann"}`}, bad: []string{`{"to":"a"}`}},
		{name: "no arguments written", arguments: ``, parameters: schema, shown: `{}`, schema: true, good: []string{`{"to":"ann"}`}},
		{name: "long arguments", arguments: long, parameters: schema, shown: long[:approval.MaxArguments] + "…", truncated: true, schema: true, bad: []string{`{}`, `{"to":"ann"}`}},
		{name: "large schema", arguments: `{"to":"bob"}`, parameters: large, shown: `{"to":"bob"}`, good: []string{`{"x":1}`}, bad: []string{`1`}},
		{name: "long words", words: strings.Repeat("w", approval.MaxWhy+1), arguments: `{}`, parameters: schema, shown: `{}`, schema: true,
			why: strings.Repeat("w", approval.MaxWhy) + "…"},
		{name: "masked", words: "The secret is out.", arguments: `{"note":"secret"}`, parameters: schema, hooks: []Hooks{mask}, why: "The ****** is out.",
			shown: `{"note":"******"}`, masked: true, schema: true, bad: []string{`{"note":"******"}`}},
		{name: "nothing to mask", arguments: `{"note":"open"}`, parameters: schema, hooks: []Hooks{mask}, shown: `{"note":"open"}`, schema: true, good: []string{`{}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reply := calls("mail", tt.arguments)
			if tt.words != "" {
				reply = script{Body: chunk(`"content":"`+tt.words+`"`) + "\n" + reply.Body}
			}
			m, c := newMind(t, reply, says("Done.")), &counted{}
			tool := Tool{Name: "mail", Description: "Sends a mail.", Parameters: tt.parameters, Call: c.call}
			r := newRig(t, WithHooks(&LLM{Model: m.model(), Tools: []Tool{tool}, Approve: tools.Approvals{All: true}}, tt.hooks...))
			r.say("go")
			i := r.question("approve/llm/0/0")
			card := shownCard(t, i)
			shown := string(card.Arguments)
			if tt.truncated {
				_ = json.Unmarshal(card.Arguments, &shown)
				equal(t, "message", card.Message, "May I call mail? Its arguments are too long to be shown as a whole.")
			}
			equal(t, "tool", card.Tool+" "+card.Description, "mail Sends a mail.")
			equal(t, "arguments", shown, tt.shown)
			equal(t, "why", card.Why, tt.why)
			equal(t, "truncated", card.Truncated, tt.truncated)
			equal(t, "masked", card.Masked, tt.masked)
			equal(t, "schema", len(card.Schema) > 0, tt.schema)
			for _, edited := range tt.good {
				equal(t, edited, state.ValidateAnswer(i.ResponseSchema, json.RawMessage(`{"approved":true,"editedArgs":`+edited+`}`)), nil)
			}
			for _, edited := range tt.bad {
				if err := state.ValidateAnswer(i.ResponseSchema, json.RawMessage(`{"approved":true,"editedArgs":`+edited+`}`)); !errors.Is(err, state.ErrAnswer) {
					t.Errorf("%s: %v", edited, err)
				}
			}
			for answer, want := range map[string]bool{`{"approved":true}`: true, `{"approved":false,"reason":"no"}`: true, `{}`: false,
				`{"approved":false,"reason":"` + strings.Repeat("r", approval.MaxReason+1) + `"}`: false, `{"approved":"yes"}`: false} {
				if got := state.ValidateAnswer(i.ResponseSchema, json.RawMessage(answer)) == nil; got != want {
					t.Errorf("%.40s: accepted %v, want %v", answer, got, want)
				}
			}
		})
	}
}

// TestApprovalQuestionsOfHiddenAgents say nothing of what people are not shown otherwise.
func TestApprovalQuestionsOfHiddenAgents(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("ann", `{"query":"write"}`),
		script{Body: chunk(`"content":"Between us."`) + "\n" + calls("f", `{"x":1}`).Body}, says("Done."), says("Over."))
	c := &counted{}
	inner := &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}, NoFrontendTools: true}
	specialist := AsTool(inner, AsToolOptions{Name: "ann", Description: "Writes."})
	specialist.Approve = tools.ApproveNever
	outer := &LLM{Model: m.model(), Tools: []Tool{specialist}}
	r := newRig(t, outer)
	r.say("go")
	equal(t, "questions", len(r.open), 1)
	card := shownCard(t, r.open[0])
	equal(t, "why", card.Why, "")
	equal(t, "arguments", string(card.Arguments), `{"x":1}`)
}
