package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// verdicts are answers to a question that asks for a decision, and what each of them means: yes, no, the comment, or ""
// for an answer that decides nothing.
var verdicts = map[string]string{
	`true`: "yes", `false`: "no", `"shorter"`: "shorter", `""`: "yes", `" "`: "yes",
	`{"approved":true}`: "yes", `{"approved":false}`: "no", `{"value":true}`: "yes", `{"value":false}`: "no", `{"value":""}`: "yes", `{"value":"shorter"}`: "shorter",
	`{"approved":false,"reason":"wrong price"}`: "wrong price", `{"approved":true,"reason":"nice"}`: "nice",
	`{"comments":"shorter"}`: "shorter", `{"approved":true,"comments":"shorter"}`: "shorter", `{"approved":false,"comments":"shorter","reason":"too long"}`: "shorter\ntoo long",
	`{"comments":""}`: "yes", `{"approved":false,"comments":""}`: "no", `{"approved":false,"value":true}`: "no", `{"approved":true,"value":false}`: "no",
	`{}`: "", `{"confirmed":false}`: "", `{"accepted":false}`: "", `{"feedback":"shorter"}`: "", `{"comment":"shorter"}`: "", `{"Approved":true}`: "", `{"approved":"yes"}`: "",
	`{"approved":null}`: "", `{"approved":1}`: "", `1`: "", `[]`: "", `[true]`: "", `{"comments":["a"]}`: "", `{"reason":""}`: "", `null`: "",
	`{"approved":true,"later":true}`: "", `{"approved":true,"Comments":"no!"}`: "", `cancel`: "no",
}

// TestOneRuleForDecisions answers a question about a draft in every form. Only an explicit yes accepts the draft.
func TestOneRuleForDecisions(t *testing.T) {
	t.Parallel()
	for answer, want := range verdicts {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			a := ask.Answer{Cancelled: answer == "cancel", Payload: json.RawMessage(answer)}
			v, err := ask.ReadVerdict(a)
			got := v.Changes()
			switch {
			case err != nil:
				got = ""
			case got != "":
			case v.Approved:
				got = "yes"
			default:
				got = "no"
			}
			equal(t, "verdict", got, want)
			if v.Approved && (err != nil || strings.HasPrefix(v.Comments, "s")) {
				t.Errorf("approved with %v, %v", v, err)
			}
			if fitted := state.FitAnswer(ask.VerdictSchema(nil), a.Payload); want != "" && !a.Cancelled && fitted == nil {
				t.Error("the schema refuses it")
			}

			written := ""
			writer := AgentFunc(func(_ context.Context, t *Turn) error {
				if err := SayOnce(t, "say", "draft"); err != nil {
					return err
				}
				written = texts(t.Messages())[len(t.Messages())-1]
				return t.State().Set("/own", true)
			})
			p := Participant{Name: "w", Agent: Review(Sub(writer, SubOptions{Result: "/draft"}), ReviewOptions{})}
			r := newRig(t, team(Sequential(), p, Participant{Name: "publisher", Agent: sayer("published")}))
			r.state = json.RawMessage(`{"draft":"the one before"}`)
			must(t, r.say("x").err)
			equal(t, "schema", len(r.open[0].ResponseSchema) > 0, true)
			payload := answer
			if fitted := state.FitAnswer(r.open[0].ResponseSchema, a.Payload); fitted != nil && !a.Cancelled {
				payload = string(fitted)
			}
			must(t, r.answer(map[string]string{"review-1": payload}).err)
			published := strings.Contains(strings.Join(texts(r.messages), " "), "published")
			equal(t, "published", published, want == "yes")
			switch want {
			case "yes":
				equal(t, "open", len(r.open), 0)
				equal(t, "written", written, "draft")
			case "no":
				equal(t, "open", len(r.open), 0)
				equal(t, "state", string(r.state), `{"draft":"the one before","own":true}`)
			case "":
				equal(t, "asked again", where(r.open[0]).Key, "review-1#2")
			default:
				equal(t, "asked about the next draft", where(r.open[0]).Key, "review-2")
			}
		})
	}
}

// TestEditsOfAMaskedCallAreRefused knows members by their exact names: "EditedArgs" is none that a call has.
func TestEditsOfAMaskedCallAreRefused(t *testing.T) {
	t.Parallel()
	mask := Hooks{Name: "mask", Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			if a, ok := e.(*agui.ToolCallArgs); ok {
				a.Delta = strings.ReplaceAll(a.Delta, "secret", "******")
			}
			return next(e)
		}
	}}
	for _, payload := range []string{
		`{"approved":true,"editedArgs":{"note":"mine"}}`, `{"approved":true,"EditedArgs":{"note":"mine"}}`, `{"approved":true,"edited_args":{"note":"mine"}}`,
		`{"Approved":true}`, `{"approved":true,"Remember":"thread"}`, `{"approved":"true"}`,
	} {
		m, c := newMind(t, calls("mail", `{"note":"secret"}`), says("Done.")), &counted{}
		tool := Tool{Name: "mail", Parameters: json.RawMessage(`{"type":"object"}`), Call: c.call}
		r := newRig(t, WithHooks(&LLM{Model: m.model(), Tools: []Tool{tool}, Approve: tools.Approvals{All: true}}, mask))
		r.say("go")
		if state.ValidateAnswer(r.question("approve/llm/0/0").ResponseSchema, json.RawMessage(payload)) == nil {
			t.Errorf("the schema takes %s", payload)
		}
		r.answer(map[string]string{"approve/llm/0/0": payload})
		if got := strings.Join(c.called(), " "); got != "" && payload != `{"approved":true,"editedArgs":{"note":"mine"}}` {
			t.Errorf("%s: called with %s", payload, got)
		}
	}
}

// TestCommentsAboutACallDoNotMakeIt tells the model what to change instead.
func TestCommentsAboutACallDoNotMakeIt(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`{"approved":true,"comments":"20 euros only"}`, `{"approved":false,"comments":"20 euros only"}`, `{"approved":false,"reason":"20 euros only"}`} {
		m, c := newMind(t, calls("pay", `{"euros":40}`), says("Done.")), &counted{}
		r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{{Name: "pay", Parameters: json.RawMessage(`{"type":"object"}`), Call: c.call}}, Approve: tools.Approvals{All: true}})
		r.say("go")
		must(t, r.answer(map[string]string{"approve/llm/0/0": payload}).err)
		equal(t, "called", len(c.called()), 0)
		equal(t, "result", texts(r.messages)[2], "not approved. The person said: 20 euros only")
	}
}

// TestEveryQuestionHasASchema holds also for one that takes anything.
func TestEveryQuestionHasASchema(t *testing.T) {
	t.Parallel()
	r := newRig(t, asker("k"))
	r.say("go")
	equal(t, "schema", string(r.open[0].ResponseSchema), `{}`)
}
