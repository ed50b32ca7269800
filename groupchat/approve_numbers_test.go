package groupchat

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// TestAnEditByABrowserChangesOneMember: the order of a refund is what the model wrote, though a browser has another
// number there.
func TestAnEditByABrowserChangesOneMember(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"approved":true}`: `pay{"order":1234567890123456789,"euros":20}`,
		`{"approved":true,"editedArgs":{"order":1234567890123456800,"euros":20}}`: `pay{"order":1234567890123456789,"euros":20}`,
		`{"approved":true,"editedArgs":{"order":1234567890123456800,"euros":10}}`: `pay{"euros":10,"order":1234567890123456789}`,
	} {
		m, c := newMind(t, calls("pay", `{"order":1234567890123456789,"euros":20}`), says("Done.")), &counted{}
		tool := c.tool("pay")
		tool.Parameters = json.RawMessage(`{"type":"object","properties":{"order":{"type":"integer"},"euros":{"type":"integer"}}}`)
		r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{tool}, Approve: tools.Approvals{All: true}})
		must(t, r.say("go").err)
		card := shownCard(t, r.open[0])
		equal(t, "text", card.ArgumentsText, `{"order":1234567890123456789,"euros":20}`)
		r.fit(answer)
		equal(t, answer, c.called(), []string{want})
	}
}

// TestANumberIsAnOption whichever way it is written.
func TestANumberIsAnOption(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int64{`5.0`: 5, `1234567890123456800`: 1234567890123456789, `5`: 5} {
		var chosen int64
		agent := AgentFunc(func(_ context.Context, t *Turn) (err error) {
			chosen, err = Choose(t, Question{Key: "k", Message: "?", Schema: json.RawMessage(`{"type":"number"}`)}, int64(5), 1234567890123456789)
			return err
		})
		r := newRig(t, agent)
		must(t, r.say("go").err)
		r.fit(answer)
		equal(t, answer, chosen, want)
	}
}

// fit answers the first open question as hosts do, with the answer fitted to the question.
func (r *rig) fit(answer string) {
	r.t.Helper()
	q := r.open[0]
	a := state.Answer{ID: q.ID, Status: agui.ResumeResolved, Payload: state.FitQuestion(q.Interrupt, json.RawMessage(answer))}
	must(r.t, r.run(Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{a.ID: a}}).err)
}
