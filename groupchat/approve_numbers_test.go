package groupchat

import (
	"context"
	"encoding/json"
	"testing"
)

// TestAnEditByABrowserChangesOneMember: the order of a refund is what the model wrote, though a browser has another number there.
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
		th := NewThread(&LLM{Model: m.model(), Tools: []Tool{tool}, Approve: Approvals{All: true}}, ThreadOptions{})
		r, err := th.Say(t.Context(), "go")
		must(t, err)
		saved := th.saved()
		card := shownCard(t, Interrupt{Interrupt: saved.interrupt(r.Questions[0].ID)})
		equal(t, "text", card.ArgumentsText, `{"order":1234567890123456789,"euros":20}`)
		_, err = th.Answer(t.Context(), map[string]any{"pay": json.RawMessage(answer)})
		must(t, err)
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
		th := NewThread(agent, ThreadOptions{})
		_, err := th.Say(t.Context(), "go")
		must(t, err)
		_, err = th.Answer(t.Context(), map[string]any{"k": json.RawMessage(answer)})
		must(t, err)
		equal(t, answer, chosen, want)
	}
}
