package gateway_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
)

// TestTeamRuns has a conversation with teams of files: what their keys promise is what happens. None needs a model.
func TestTeamRuns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, team string
		state      string // the caller's
		said       []string
		asked      string // the question that is open in the end
		code       string // of the run's error
		want       string // the state in the end
	}{
		{
			name: "answers in a person's stead",
			team: `
  form: { type: script, steps: [
    { ask: { key: size, message: "Which size?", options: [S, M] } }, { ask: { key: colour, message: "Which colour?" } },
    { say: "${answers.size}, ${answers.colour}." }, { ask: { key: sure, message: "Sure?" } } ] }
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: a, agent: form, on_ask: [ { key: size, answer: M }, { key: colour, from: /colour }, { key: sure, from: /nothing } ] } ]`,
			state: `{"colour":"red"}`, said: []string{"M, red."}, asked: "Sure?", want: `{"colour":"red"}`,
		},
		{
			name: "an answer that is none of the options is left to a person",
			team: `
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: a, type: script, steps: [ { ask: { key: size, message: "Which size?", options: [S, M] } } ], on_ask: [ { key: size, answer: XL } ] } ]`,
			asked: "Which size?", want: `{}`,
		},
		{
			name: "results, outputs and an end by a condition",
			team: `
  desk:
    type: groupchat
    manager: { type: round_robin }
    until: { equals: { path: /done, value: [ 1, { a: true } ] } }
    state: { reducers: { /log: append } }
    participants:
      - { name: one, type: script, steps: [ { say: First. }, { say: Second. } ], result: /log }
      - { name: two, type: script, steps: [ { say: Unheard. } ], output: none, result: /log }
      - { name: three, type: script, steps: [ { say: Draft. }, { say: Final. } ], output: history }
      - { name: four, type: script, steps: [ { set: { path: /own, value: 1 } }, { say: Inside. } ], scope: isolated, result: /log }
      - { name: five, type: script, steps: [ { set: { path: /done, value: [ 1, { a: true } ] } } ], writes: [ /done ] }
      - { name: six, type: script, steps: [ { fail: { message: Never. } } ] }`,
			said: []string{"First.", "Second.", "Final.", "Inside."},
			want: `{"done":[1,{"a":true}],"log":["Second.","Unheard.","Inside."]}`,
		},
		{
			name: "at once",
			team: `
  desk:
    type: concurrent
    participants:
      - { name: one, type: script, steps: [ { set: { path: /one, value: 1 } } ] }
      - { name: two, type: script, steps: [ { fail: { message: Sorry. } } ], on_error: skip }`,
			want: `{"one":1}`,
		},
		{
			name: "writes elsewhere are not allowed",
			team: `
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: a, type: script, steps: [ { set: { path: /other, value: 1 } } ], writes: [ /own ], result: /own } ]`,
			code: "agent_failed", want: `{}`,
		},
		{
			name: "a person is asked after a turn",
			team: `
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: a, type: script, steps: [ { say: Draft. } ], result: /draft, review: { message: "All right?" } } ]`,
			said: []string{"Draft."}, asked: "All right?", want: `{"draft":"Draft."}`,
		},
		{
			name: "tries again, then goes on without",
			team: `
  desk:
    type: groupchat
    manager: { type: sequential }
    state: { reducers: { /tries: append } }
    participants:
      - { name: a, type: script, steps: [ { fail: { message: Sorry. } } ], on_error: { retry: 1, backoff: 1ms, then: skip } }
      - { name: b, type: script, steps: [ { say: On. } ], context: none }`,
			said: []string{"On."}, want: `{}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "team.yaml")
			if err := os.WriteFile(path, []byte("version: 1\nagents:"+tt.team+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			team, err := teamfile.Load(path, teamfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "desk" })
			extra := []string{}
			if tt.state != "" {
				extra = append(extra, `"state":`+tt.state)
			}
			w.post("desk", input("t", "r", []string{"u:go"}, extra...))
			d := w.thread("t")
			var said []string
			for _, m := range d.Messages {
				if m.Role == agui.RoleAssistant {
					said = append(said, m.Content.Text())
				}
			}
			asked := ""
			if len(d.Interrupts) > 0 {
				asked = d.Interrupts[0].Message
			}
			got := []string{strings.Join(said, " "), asked, d.Runs[0].Code, string(d.State)}
			if diff := cmp.Diff([]string{strings.Join(tt.said, " "), tt.asked, tt.code, tt.want}, got); diff != "" {
				t.Errorf("said, asked, failed, state (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAToolIsTheParticipantOfItsName and not the agent of the file behind the participant: restrictions of a
// participant also hold for it as a tool.
func TestAToolIsTheParticipantOfItsName(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(&calling{tool: "clerk", arguments: `{"query":"x"}`})
	t.Cleanup(provider.Close)
	path := filepath.Join(t.TempDir(), "team.yaml")
	text := `version: 1
agents:
  clerk: { type: script, description: Takes orders, steps: [ { set: { path: /price, value: 1 } }, { say: Done. } ] }
  desk:
    type: groupchat
    manager: { type: rules, rules: [ { when: { present: /never }, speaker: clerk } ], default: boss }
    max_rounds: 1
    participants:
      - { name: boss, type: llm, approve: never, tools: [ { agent: clerk } ] }
      - { name: clerk, agent: clerk, writes: [ /order ] }
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teamfile.Load(path, teamfile.Options{Model: openai.Options{BaseURL: provider.URL, Name: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "desk" })
	w.post("desk", input("t", "r1", []string{"u:go"}))
	d := w.thread("t")
	var result string
	for _, m := range d.Messages {
		if m.Role == agui.RoleTool {
			result = m.Content.Text()
		}
	}
	if string(d.State) != "{}" || result != "The tool failed." {
		t.Errorf("the state is %s after the result %q, want it untouched", d.State, result)
	}
}
