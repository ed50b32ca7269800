package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A ledTeam is the agents of a team file behind a gateway, with a model that replies as written in the test.
type ledTeam struct {
	*world
	model *openaitest.Server
}

func leadTeam(t *testing.T, text string, answers ...string) *ledTeam {
	t.Helper()
	list := []openaitest.Answer{{Status: 500}}
	if len(answers) > 0 {
		list = nil
	}
	for _, a := range answers {
		list = append(list, openaitest.Text(a))
	}
	l := &ledTeam{model: openaitest.Serve(list...)}
	server := httptest.NewServer(l.model)
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nagents:\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teamfile.Load(path, teamfile.Options{Model: openai.Options{BaseURL: server.URL, Name: "m1", Retries: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := team.Close(); err != nil {
			t.Error(err)
		}
	})
	l.world = newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "desk" })
	return l
}

// said is the conversation of a thread since the user's last message, with names.
func (l *ledTeam) said(thread string) string {
	var said []string
	for _, m := range l.thread(thread).Messages {
		if m.Role == agui.RoleUser {
			said = nil
		}
		if m.Role == agui.RoleAssistant {
			said = append(said, m.Name+": "+m.Content.Text())
		}
	}
	return strings.Join(said, " | ")
}

// TestConditionsOfATeamFile leads the team of the manual, and another one, by messages and the state.
func TestConditionsOfATeamFile(t *testing.T) {
	t.Parallel()
	l := leadTeam(t, manualTeam(t, "shop"))
	for i, tt := range []struct{ words, state, want string }{
		{"A refund, please", `{"order":{"total":100.5}}`, "boss: I will see to it myself."},
		{"A refund, please", `{"order":{"total":100}}`, ""},
		{"A Refund, please", `{"order":{"total":200}}`, ""},
		{"A refund, please", `{"order":{"total":"200"}}`, ""},
		{"WHERE is it?", `{}`, "courier: It is on its way."},
		{"Nowhere", `{}`, ""},
		{"Hello", `{"topic":"delivery"}`, "courier: It is on its way."},
		{"Hello", `{"tags":["old","new"]}`, "clerk: Goodbye."},
		{"Hello", `{"tags":"renewed"}`, "clerk: Goodbye."},
		{"Hello", `{"tags":[["new"]]}`, ""},
		{"Hello", `{"tags":null,"topic":["delivery"]}`, ""},
	} {
		thread := "t" + string(rune('a'+i))
		l.post("desk", input(thread, "r", []string{"u:" + tt.words}, `"state":`+tt.state))
		if diff := cmp.Diff(tt.want, l.said(thread)); diff != "" {
			t.Errorf("%s in %s: %s", tt.words, tt.state, diff)
		}
	}
}

// TestANamedManagerWithAPromptOfItsOwn leads the manual's workshop, and finds the model's input in the gaps of the
// prompt.
func TestANamedManagerWithAPromptOfItsOwn(t *testing.T) {
	t.Parallel()
	answer := `{"reason":"r","terminate":%s,"next_speaker":%s,"message":%s,"instruction":null}`
	l := leadTeam(t, manualTeam(t, "workshop"), fmt.Sprintf(answer, "false", `"Mechanic"`, `"Let us see."`), fmt.Sprintf(answer, "true", "null", `"New brakes, then."`))
	l.post("desk", input("t", "r", []string{"u:It squeaks"}, `"state":{"car":"old"}`))
	if diff := cmp.Diff("lead: Let us see. | mechanic: The brakes are worn. | lead: New brakes, then.", l.said("t")); diff != "" {
		t.Error(diff)
	}
	asked := l.model.Requests()
	want := "Our customers are in a hurry.\n\nYou run a workshop. Your people:\n- mechanic: \n- clerk: \n\nLet the mechanic find the fault before the clerk names a price.\n" +
		"The state at \"/car\" is now: \"old\"\nmechanic spoke last.\n\nAnswer with one JSON object"
	if got := systemOf(t, asked[1]); !strings.HasPrefix(got, want) || strings.Count(got, "next_speaker") != 1 {
		t.Errorf("told %q, want it to begin with %q", got, want)
	}
	plain := leadTeam(t, "  desk: { type: groupchat, manager: { type: llm, prompt: Choose well. }, participants: [ { name: a, type: script, steps: [ { say: x } ] } ] }", fmt.Sprintf(answer, "true", "null", "null"))
	plain.post("desk", input("t", "r", []string{"u:x"}))
	if got := systemOf(t, plain.model.Requests()[0]); !strings.HasPrefix(got, "Choose well.\n\nThe participants:\n- a: \n") || !strings.Contains(got, "Answer with one JSON object") {
		t.Errorf("told %q, want the participants and the form behind the prompt", got)
	}
}

// TestWhoWorksAtOnce lets conditions and a model choose among the doctors of the manual.
func TestWhoWorksAtOnce(t *testing.T) {
	t.Parallel()
	chooses := func(names string) string { return `{"reason":"r","participants":[` + names + `]}` }
	const everybody = `{"patient":{"age":4,"consent":true}}`
	for name, tt := range map[string]struct {
		words, state string
		answers      []string
		want         []string
		asked        int
	}{
		"one": {"Help", everybody, []string{chooses(`"Surgeon"`)}, []string{"desk", "surgeon"}, 1},
		"two": {"Help", everybody, []string{chooses(`"surgeon","dentist"`)}, []string{"dentist", "desk", "surgeon"}, 1},
		"a condition leaves one out": {"No dentist!", everybody, []string{chooses(`"dentist"`), chooses(`"paediatrician"`)},
			[]string{"desk", "paediatrician"}, 2},
		"one is left, and nobody asks": {"No dentist!", `{}`, nil, []string{"desk", "paediatrician"}, 0},
		"told what is wrong":           {"Help", everybody, []string{"Both.", chooses(``), chooses(`"dentist"`)}, []string{"dentist", "desk"}, 3},
		"nonsense for ever":            {"Help", everybody, []string{chooses(`"dentist","surgeon","paediatrician"`)}, []string{"dentist", "desk", "paediatrician"}, 3},
		"the model is away":            {"Help", everybody, nil, []string{"dentist", "desk", "paediatrician"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leadTeam(t, manualTeam(t, "clinic"), tt.answers...)
			l.post("desk", input("t", "r", []string{"u:" + tt.words}, `"state":`+tt.state))
			var spoke []string
			for _, line := range strings.Split(l.said("t"), " | ") {
				who, _, _ := strings.Cut(line, ":")
				spoke = append(spoke, who)
			}
			slices.Sort(spoke)
			if asked := l.model.Requests(); !slices.Equal(spoke, sorted(tt.want)) || len(asked) != tt.asked {
				t.Errorf("%q worked, and the model was asked %d times: %q", spoke, len(asked), asked)
			}
		})
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestTheBureauPlans lets the manual's bureau plan, a person change the plan, and the state show it.
func TestTheBureauPlans(t *testing.T) {
	t.Parallel()
	judged := `{"satisfied":%t,"looping":false,"advancing":true,"next_speaker":"finder","instruction":"Look.","reason":"r"}`
	l := leadTeam(t, manualTeam(t, "bureau"), `{"facts":{"given":["a hat"],"to_look_up":[],"to_derive":[],"guesses":[]},"plan":["finder: look"]}`,
		fmt.Sprintf(judged, false), fmt.Sprintf(judged, true), "It costs 3.")
	l.post("desk", input("t", "r1", []string{"u:What is a hat?"}))
	d := l.thread("t")
	if len(d.Interrupts) != 1 || d.Interrupts[0].Message != "Is this how we should do it?\n\n1. finder: look" || !strings.Contains(string(d.State), `"status":"planning"`) {
		t.Fatalf("asks %+v in the state %s", d.Interrupts, d.State)
	}
	l.post("desk", input("t", "r2", []string{"u:What is a hat?"}, `"resume":[{"interruptId":`+quote(d.Interrupts[0].ID)+
		`,"status":"resolved","payload":{"approved":true,"plan":"finder: look well"}}]`))
	if diff := cmp.Diff("finder: A hat costs 3. | lead: It costs 3.", l.said("t")); diff != "" {
		t.Error(diff)
	}
	if d = l.thread("t"); !strings.Contains(string(d.State), `"plan":["finder: look well"]`) || !strings.Contains(string(d.State), `"status":"done"`) {
		t.Errorf("the state is %s", d.State)
	}
	asked := l.model.Requests()
	if got := systemOf(t, asked[len(asked)-1]); !strings.HasPrefix(got, "We are a small bureau.") || !strings.Contains(got, "In one sentence.") {
		t.Errorf("the sum is asked for by %q", got)
	}
}

// manualTeam is the team of that name in docs/teams, called desk.
func manualTeam(t *testing.T, name string) string {
	t.Helper()
	pages, err := filepath.Glob("../docs/teams/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		manual, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, block, found := strings.Cut(string(manual), "\n  "+name+":\n")
		if !found {
			continue
		}
		text := "  desk:\n"
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, "   ") {
				break
			}
			text += line
		}
		return text
	}
	t.Fatalf("the manual has no team %q", name)
	return ""
}

// systemOf is the system message of a request to a model.
func systemOf(t *testing.T, request string) string {
	t.Helper()
	var r struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(request), &r); err != nil || len(r.Messages) == 0 || r.Messages[0].Role != "system" {
		t.Fatalf("request %s: %v", request, err)
	}
	return r.Messages[0].Content
}
