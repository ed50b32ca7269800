package gateway_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// TestTypedAnswersOfATeamFile has a person who types, with a team that recognises names and positions, and with one
// that has a model for the rest.
func TestTypedAnswersOfATeamFile(t *testing.T) {
	t.Parallel()
	server := openaitest.Serve(openaitest.Text(`{"answer":1,"reply":null}`))
	reader := httptest.NewServer(server)
	t.Cleanup(reader.Close)
	team := loadTeam(t, `version: 1
models: { reader: { base_url: "`+reader.URL+`/v1", model: m } }
agents:
  plain: { type: script, typed_answers: on, steps: [ { ask: { key: size, message: "Which size?", options: [ Small, Large ] } }, { say: "Taking ${answers.size}." } ] }
  clever: { type: script, typed_answers: { model: reader }, steps: [ { ask: { key: size, message: "Which size?", options: [ Small, Large ] } }, { say: "Taking ${answers.size}." } ] }
  free: { type: script, typed_answers: on, steps: [ { ask: { key: name, message: "Your name?" } }, { say: "Hello ${answers.name}." } ] }
  off: { type: script, steps: [ { ask: { key: size, message: "Which size?", options: [ Small, Large ] } } ] }
`)
	w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "plain" })
	for _, test := range []struct{ agent, says, want, ending string }{
		{"plain", "the second one", "Taking Large.", "success"},
		{"plain", "the cheaper one", "I do not know which of the answers you mean. There are: 1. Small; 2. Large.", "interrupt"},
		{"clever", "the cheaper one", "Taking Small.", "success"},
		{"free", "Ada", "Hello Ada.", "success"},
		{"off", "Large", "", "interrupt_pending"},
	} {
		thread := test.agent + test.ending
		first := w.post(test.agent, input(thread, "r1", []string{"u1:hi"}))
		first.rest()
		second := w.post(test.agent, input(thread, "r2", []string{"u1:hi", "u2:" + test.says}))
		second.rest()
		said := ""
		for _, m := range w.thread(thread).Messages {
			if m.Role == "assistant" {
				said = m.Content.Text()
			}
		}
		ending := ""
		if test.agent == "off" {
			ending = second.code()
		} else {
			ending = string(second.finished().Outcome.Type)
		}
		if ending != test.ending || !strings.HasPrefix(said, test.want) {
			t.Errorf("%q said to %s ends with %s and %q, want %s and %q", test.says, test.agent, ending, said, test.ending, test.want)
		}
	}
	if asked := server.Requests(); len(asked) != 1 || !strings.Contains(asked[0], "the cheaper one") {
		t.Errorf("the model was asked %q, want what cannot be known without it", asked)
	}
}
