package teamfile

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// read returns the agent of a file with the default model m.
func read(t *testing.T, text, agent string, m model.Model) groupchat.Agent {
	t.Helper()
	o := testOptions(testEnv)
	o.Providers = map[string]model.Provider{"fake": func(model.Config) (model.Model, error) { return m, nil }}
	before, agents, _ := strings.Cut(text, "agents:\n")
	before, _, _ = strings.Cut(before, "models:") // the models of a file of the manual
	team, err := parse("team.yaml", []byte(before+"models: { default: { type: fake } }\nagents:\n"+agents), o)
	if err != nil {
		t.Fatal(err)
	}
	return team.Agents[agent]
}

// manual is the block of docs/teams that has a text in it.
func manual(t *testing.T, with string) string {
	t.Helper()
	for _, block := range manualBlocks(t) {
		if strings.Contains(block, with) {
			return block
		}
	}
	t.Fatalf("no block of the manual has %q", with)
	return ""
}

// requestText returns the messages of the model request with index n as one text.
func requestText(t *testing.T, m *modeltest.Model, n int) string {
	t.Helper()
	requests := m.Requests()
	if len(requests) <= n {
		t.Fatalf("only %d requests", len(requests))
	}
	var lines []string
	for _, message := range requests[n].Messages {
		lines = append(lines, string(message.Role)+": "+message.Text)
	}
	return strings.Join(lines, "\n")
}

// wantIn wants text to have all parts.
func wantIn(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %q, without %q", what, text, part)
		}
	}
}

func TestVariablesWork(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Text(`{"next_speaker":"scout"}`), modeltest.Text("A lake."), modeltest.Text(`{"next_speaker":"host"}`),
		modeltest.Text("Go to the lake."), modeltest.Text(`{"terminate":true}`))
	agent := read(t, manual(t, "Today is {{date}}"), "guide", m)
	th := groupchattest.NewThread(t, agent, groupchattest.Options{Options: thread.Options{State: []byte(`{"wish":["{{input}}"]}`)}})
	th.Say("Where to? {{state:/wish}}")
	wantIn(t, "the manager's request", requestText(t, m, 0), "Today is "+time.Now().UTC().Format("2006-01-"), `The scout looks for: ["{{input}}"].`)
	wantIn(t, "the scout's request", requestText(t, m, 1), "Find what suits a guest.")
	wantIn(t, "the host's request", requestText(t, m, 3), "Answer Where to? {{state:/wish}} with what the scout found: A "+
		"lake.")
}

func TestInputsAndPromptsWork(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Text("The moon does it."), modeltest.Text("Moon."), modeltest.Text("A report on tides."))
	agent := read(t, manual(t, "Summarise for"), "desk", m)
	th := groupchattest.NewThread(t, agent, groupchattest.Options{})
	run := th.Say("What makes the tides?")
	if got, want := requestText(t, m, 1), "system: You are short. What others in this conversation say begins with their "+
		"name.\nuser: Summarise for everybody: The moon does it."; got != want {
		t.Errorf("the second is told %q, want %q", got, want)
	}
	wantIn(t, "the third's request", requestText(t, m, 2), "Answer What makes the tides? from The moon does it..")
	if got := string(run.State); got != `{"report":"A report on tides."}` {
		t.Errorf("the state is %s", got)
	}
}

func TestContractsWork(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Text("On tides."))
	agent := read(t, manual(t, "office:"), "office", m)
	run := groupchattest.NewThread(t, agent, groupchattest.Options{}).Say("tides")
	wantIn(t, "the request", requestText(t, m, 0), "Write on tides.")
	if got := string(run.State); got != `{"report":"On tides."}` {
		t.Errorf("the state is %s", got)
	}

	const text = `version: 1
agents:
  sum:
    type: script
    contract: { inputs: { required: [ n ], properties: { n: { type: integer } } }, outputs: { required: [ m ] } }
    steps: [ { say: "I work." } ]
  team:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: a, agent: sum, scope: mapped, inputs: { n: /n }, on_error: { retry: 2, then: SKIP } }
      - { name: b, type: script, steps: [ { say: "Then I do." } ] }
`
	for _, tt := range []struct{ state, then, want string }{
		{`{}`, "fail", ""}, {`{"n":"x"}`, "fail", ""}, {`{"n":1}`, "fail", "I work."}, {`{}`, "skip", "Then I do."},
	} {
		agent := read(t, strings.Replace(text, "SKIP", tt.then, 1), "team", m)
		th := thread.New(agent, thread.Options{State: []byte(tt.state)})
		_, err := th.Say(context.Background(), "go")
		if tt.then == "fail" && errcode.Of(err) != errcode.ContractViolation {
			t.Errorf("with %s the run ends with %v", tt.state, err)
		}
		var said []string
		for _, message := range th.Messages()[1:] {
			said = append(said, message.Content.Text())
		}
		if got := strings.Join(said, " "); got != tt.want {
			t.Errorf("with %s is said %q, want %q", tt.state, got, tt.want)
		}
	}
}

func TestToolsOfTheProgramWork(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Calls("words", `{"word":"tide"}`, "mutate", `{}`), modeltest.Text("Done."))
	agent := read(t, manual(t, "Knows words"), "assistant", m)
	th := groupchattest.NewThread(t, agent, groupchattest.Options{})
	run := th.Say("Look it up")
	if len(run.Questions) != 1 || run.Questions[0].Tool != "mutate" {
		t.Fatalf("the questions are %v, want one about mutate", run.Questions)
	}
	run = th.Approve("mutate")
	if got := string(run.State); run.Text != "Done." || got != `{"b":"changed"}` {
		t.Errorf("it says %q, and the state is %s", run.Text, got)
	}
	if tools := m.Requests()[0].Tools; len(tools) != 2 || tools[0].Name != "words" || tools[0].Description != "Knows words" || tools[1].Name != "mutate" {
		t.Errorf("the model has the tools %v", tools)
	}
	wantIn(t, "the last request", requestText(t, m, 1), "tool: found", "tool: changed")
}

func TestVariablesOfOverridesAndReviewsWork(t *testing.T) {
	t.Parallel()
	const text = `version: 1
agents:
  help:
    type: groupchat
    manager: { type: route, key: /topic, routes: { bill: clerk }, overrides: { bill: { instruction: "On {{state:/topic}}, asked {{input}}" } } }
    participants: [ { name: clerk, type: llm, review: { message: "{{last:clerk}} Is that so, {{state:/name|friend}}?" } } ]
`
	m := modeltest.New(t, modeltest.Text("It is paid."))
	agent := read(t, text, "help", m)
	th := groupchattest.NewThread(t, agent, groupchattest.Options{Options: thread.Options{State: []byte(`{"topic":"bill"}`)}})
	run := th.Say("paid?")
	wantIn(t, "the request", requestText(t, m, 0), "For this turn: On bill, asked paid?")
	if len(run.Questions) != 1 || run.Questions[0].Message != "It is paid. Is that so, friend?" {
		t.Errorf("the questions are %v", run.Questions)
	}
}
