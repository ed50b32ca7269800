package groupchat

import (
	"testing"

	"github.com/agui-gateway/gateway/model"
)

// An echoing model wants its reasoning back.
type echoing struct{ *recital }

func (echoing) Echoes() bool { return true }

// TestReasoningOfEarlierTurns has an agent that thinks, calls a tool and thinks again, alone and in a team: in the next
// turn its model is the request has its thoughts before the call, if it wants that, and nothing else of it.
func TestReasoningOfEarlierTurns(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"wants it": "hm", "does not": ""} {
		for _, inTeam := range []bool{false, true} {
			m := &recital{handOn: func(model.Reply, model.Deltas) error { return nil }, replies: []model.Reply{
				{Reasoning: "hm", Text: "Wait.", Calls: []model.Call{{Name: "f", Arguments: "{}"}}}, {Reasoning: "so", Text: "Done."}, {Text: "Again."},
			}}
			c := &counted{}
			a := &LLM{Model: model.Model(m), Tools: []Tool{c.tool("f")}}
			if name == "wants it" {
				a.Model = echoing{m}
			}
			var agent Agent = a
			if inTeam {
				agent = team(Sequential(), Participant{Name: "ann", Agent: a}, Participant{Name: "bob", Agent: sayer("Next.")})
			}
			r := newRig(t, agent)
			equal(t, "first run", r.say("go").err, nil)
			equal(t, "second run", r.say("more").err, nil)
			var thoughts []string
			for _, message := range m.requests[2].Messages {
				if len(message.Calls) > 0 || message.Reasoning != "" {
					thoughts = append(thoughts, message.Reasoning)
				}
			}
			equal(t, "thoughts of a model that "+name, thoughts, []string{want})
		}
	}
}
