package teamfile

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// panelFile has agents of type concurrent in each place in which their answers are used. Their second participant
// speaks first.
const panelFile = `version: 1
agents:
  opinions:
    type: concurrent
    serve: on
    description: Two opinions
    output: history
    participants: &both [ { name: optimist, type: script, steps: [ { sleep: 20ms }, { say: GOOD } ] }, { name: critic, type: script, steps: [ { say: BAD } ] } ]
  named:
    type: concurrent
    join: names
    participants: *both
  hidden:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: opinions, agent: named, output: none, result: /opinions }
  variable:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: opinions, type: concurrent, participants: *both }
      - { name: judge, type: groupchat, manager: { type: sequential }, scope: mapped, inputs: { heard: "{{last:opinions}}" }, outputs: { heard: /heard },
          participants: [ { name: silent, type: script, steps: [ { sleep: 1ms } ] } ] }
  caller:
    type: script
    steps: [ { call: { agent: named, query: "Well?" } }, { say: "${answers.named}" } ]
  boss:
    type: llm
    tools: [ { agent: opinions, approve: never } ]
`

// TestAConcurrentAgentsAnswersAreAllThere in the order of the file, wherever its words are used.
func TestAConcurrentAgentsAnswersAreAllThere(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]struct{ said, state string }{
		"opinions": {"optimist: GOOD, critic: BAD", `{}`},
		"hidden":   {"", `{"opinions":"optimist: GOOD\n\ncritic: BAD"}`},
		"variable": {"critic: BAD, optimist: GOOD", `{"heard":"GOOD\n\nBAD"}`},
		"caller":   {"critic: BAD, optimist: GOOD, : optimist: GOOD\n\ncritic: BAD", `{}`},
		"boss":     {": done", `{}`},
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := modeltest.New(t)
				if agent == "boss" {
					m.Add(modeltest.Calls("opinions", `{"query":"Well?"}`), modeltest.Text("done"))
				}
				run := groupchattest.NewThread(t, read(t, panelFile, agent, m), groupchattest.Options{}).Say("go")
				var said []string
				for _, message := range run.Messages {
					if message.Role == "assistant" && !message.Content.IsZero() {
						said = append(said, message.Name+": "+message.Content.Text())
					}
				}
				if got := strings.Join(said, ", "); got != want.said || string(run.State) != want.state {
					t.Errorf("said %q with the state %s, want %q and %s", got, run.State, want.said, want.state)
				}
				if agent == "boss" && m.Requests()[1].Last() != "GOOD\n\nBAD" {
					t.Errorf("the model is given %q, want all answers", m.Requests()[1].Last())
				}
			})
		})
	}
}

// TestTheManualsPanelHearsAll gives the judge of the manual's example both opinions.
func TestTheManualsPanelHearsAll(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Text("Yes.").To("opinions.optimist"), modeltest.Text("No.").To("opinions.critic"), modeltest.Text("Perhaps."))
	th := groupchattest.NewThread(t, read(t, manual(t, "name: opinions"), "panel", m), groupchattest.Options{})
	th.Say("Well?")
	wantIn(t, "the judge's request", requestText(t, m, 2), "Decide between these:\noptimist: Yes.\n\ncritic: No.", "optimist: Yes.\nuser: critic: No.")
}

// TestReducersOfATeamCountWhereverItWorks refers to a team with an append reducer by name: with a mapped state, with a
// shared state, and nested twice.
func TestReducersOfATeamCountWhereverItWorks(t *testing.T) {
	t.Parallel()
	const file = `version: 1
agents:
  notes:
    type: groupchat
    manager: { type: sequential }
    state: { reducers: { /list: append } }
    participants:
      - { name: one, type: script, steps: [ { set: { path: /list, value: a } } ] }
      - { name: two, type: script, steps: [ { set: { path: /list, value: b } } ] }
  mapped:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: notes, agent: notes, scope: mapped, outputs: { list: /out } } ]
  shared:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: notes, agent: notes } ]
  deep:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: inner, type: groupchat, scope: mapped, outputs: { list: /out }, manager: { type: sequential }, participants: [ { name: notes, agent: shared } ] }
`
	for agent, want := range map[string]string{"mapped": `{"out":["a","b"]}`, "shared": `{"list":["a","b"]}`, "deep": `{"out":["a","b"]}`} {
		team := read(t, strings.Replace(file, "  "+agent+":\n", "  "+agent+":\n    serve: on\n", 1), agent, modeltest.New(t))
		if got := string(groupchattest.NewThread(t, team, groupchattest.Options{}).Say("go").State); got != want {
			t.Errorf("%s: the state is %s, want %s", agent, got, want)
		}
	}
}
