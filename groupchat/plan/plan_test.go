package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/plan"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// drafts is what a model answers that plans.
func drafts(fact string, steps ...string) modeltest.Reply {
	raw, err := json.Marshal(map[string]any{
		"facts": map[string]any{"given": []string{fact}, "to_look_up": []string{"the price"}, "to_derive": []string{}, "guesses": []string{}}, "plan": steps,
	})
	if err != nil {
		panic(err)
	}
	return modeltest.Text(string(raw)).When("Write down the facts")
}

// judges is what it answers that judges.
func judges(next string, advancing bool, more string) modeltest.Reply {
	return modeltest.Text(fmt.Sprintf(`{"satisfied":false,"looping":false,"advancing":%t,"next_speaker":%q,"instruction":"Now, %s!","reason":"because"%s}`, advancing, next, next, more)).
		When("How far")
}

var (
	satisfied = modeltest.Text(`{"satisfied":true,"looping":false,"advancing":true,"next_speaker":"","instruction":"","reason":"done"}`).When("How far")
	sums      = modeltest.Text("It costs 3.").When("Answer the user")
)

// worker repeats its instruction.
func worker(name string) groupchat.Participant {
	return groupchat.Participant{Name: name, Description: "Does " + name, Agent: says(name)}
}

func office(o plan.Options) *groupchat.Chat {
	return &groupchat.Chat{Supervisor: "lead", Manager: plan.Manager(o), Participants: []groupchat.Participant{worker("finder"), worker("writer")}}
}

// stored is the ledger in a state.
func stored(t modeltest.T, th *groupchattest.Thread) (l plan.Ledger) {
	var s struct{ Plan plan.Ledger }
	if err := json.Unmarshal(th.Thread().State(), &s); err != nil {
		t.Errorf("state %s: %v", th.Thread().State(), err)
	}
	return s.Plan
}

// said returns the messages, with names, from the nth on.
func said(th *groupchattest.Thread, from int) string {
	var lines []string
	for _, m := range th.Thread().Messages()[from:] {
		lines = append(lines, m.Name+": "+m.Content.Text())
	}
	return strings.Join(lines, " | ")
}

// TestATaskIsPlannedWorkedAndSummedUp plays it whole, with a review that changes the plan, and once for each place
// where the process could have died.
func TestATaskIsPlannedWorkedAndSummedUp(t *testing.T) {
	t.Parallel()
	places := groupchattest.EachTakeover(t, func(t modeltest.T) *groupchattest.Thread {
		m := modeltest.New(t, drafts("a hat", "finder: look", "writer: write"), drafts("a red hat", "finder: look twice"), judges("finder", false, ""), judges("WRITER", true, ""), satisfied, sums)
		return groupchattest.NewThread(t, office(plan.Options{Model: m, Store: "/plan", Show: true, Review: &plan.Review{}}), groupchattest.Options{})
	}, func(th *groupchattest.Thread) {
		run := th.Say("What is the hat?")
		if len(run.Questions) != 1 || !strings.HasSuffix(run.Questions[0].Message, "Shall we go about it like this?\n\n1. finder: look\n2. writer: write") {
			t.Fatalf("asked %+v", run.Questions)
		}
		if l := stored(t, th); l.Status != plan.Planning || len(l.Plan) != 2 || l.Facts.Given[0] != "a hat" || l.Task != "What is the hat?" {
			t.Errorf("the state has %+v while a person is asked", l)
		}
		run = th.Answer(map[string]any{"plan-1": map[string]any{"comments": "It is red."}})
		if len(run.Questions) != 1 || !strings.Contains(run.Questions[0].Message, "look twice") {
			t.Fatalf("asked %+v", run.Questions)
		}
		th.Answer(map[string]any{"plan-2": map[string]any{"approved": true, "plan": "1. finder: look\n2) writer: say it\n"}})
		want := "lead: 1. finder: look\n2. writer: write | lead: 1. finder: look twice | finder: Now, finder! | writer: Now, WRITER! | lead: It costs 3."
		if got := said(th, 1); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
		if l := stored(t, th); l.Status != plan.Done || strings.Join(l.Plan, ",") != "finder: look,writer: say it" || l.Progress == nil || !l.Progress.Satisfied {
			t.Errorf("the state has %+v in the end", l)
		}
	})
	if places < 10 {
		t.Errorf("%d places to die at", places)
	}
}

// TestAPersonsVerdict has what counts as approval, and what does not.
func TestAPersonsVerdict(t *testing.T) {
	t.Parallel()
	works, ends, asks := "finder: Now, finder!", "lead: All right, we will leave it at that. Tell us what you would like instead.", "asks again"
	for name, tt := range map[string]struct {
		answer any
		want   string
	}{
		"approved":                    {map[string]any{"approved": true}, works},
		"yes":                         {map[string]any{"value": true}, works},
		"nothing to say":              {map[string]any{"value": ""}, works},
		"a plan of one's own":         {map[string]any{"plan": "finder: my way"}, works},
		"not approved":                {map[string]any{"approved": false}, ends},
		"no":                          {map[string]any{"value": false}, ends},
		"a plan, and not approved":    {map[string]any{"approved": false, "plan": "finder: my way"}, ends},
		"cancelled":                   {nil, ends},
		"an empty form":               {map[string]any{}, asks},
		"an empty plan":               {map[string]any{"plan": " "}, asks},
		"too many steps":              {map[string]any{"approved": true, "plan": strings.Repeat("x\n", plan.MaxEntries+1)}, asks},
		"a step that is too long":     {map[string]any{"approved": true, "plan": strings.Repeat("x", plan.MaxEntryBytes+1)}, asks},
		"a comment outlives approval": {map[string]any{"approved": true, "comments": "but faster"}, asks},
		"a comment in words":          {map[string]any{"value": "faster"}, asks},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := modeltest.New(t, drafts("x", "finder: look"))
			switch {
			case tt.want == works:
				m.Add(judges("finder", true, ""), satisfied)
			case strings.HasPrefix(name, "a comment"):
				m.Add(drafts("x", "finder: look faster"))
			}
			th := groupchattest.NewThread(t, office(plan.Options{Model: m, NoFinal: true, Review: &plan.Review{Message: "Well?"}}), groupchattest.Options{})
			th.Say("go")
			var run *groupchattest.Run
			if tt.answer == nil {
				run = th.Cancel("plan-1")
			} else {
				run = th.Answer(map[string]any{"plan-1": tt.answer})
			}
			got := said(th, 1)
			if tt.want == asks {
				if len(run.Questions) != 1 {
					t.Errorf("said %q, and asked %+v, want another question", got, run.Questions)
				}
				return
			}
			if got != tt.want || len(run.Questions) != 0 {
				t.Errorf("said %q and asked %+v, want %q", got, run.Questions, tt.want)
			}
		})
	}
}

// TestWorkThatStallsIsPlannedAnew has a plan that fails, another one, and then the end.
func TestWorkThatStallsIsPlannedAnew(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, drafts("x", "finder: look"), judges("finder", false, ""), judges("finder", true, `,"looping":true`), judges("finder", false, ""),
		drafts("y", "writer: ask"), judges("writer", false, ""), judges("writer", false, ""), judges("writer", true, ""), judges("writer", false, ""), judges("writer", false, ""), sums)
	th := groupchattest.NewThread(t, office(plan.Options{Model: m, MaxStalls: 2, MaxResets: 1, Store: "/plan"}), groupchattest.Options{})
	th.Say("go")
	if got, want := said(th, 1), strings.Repeat("finder: Now, finder! | ", 2)+strings.Repeat("writer: Now, writer! | ", 4)+"lead: It costs 3."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if l := stored(t, th); l.Status != plan.GivenUp || l.Resets != 1 || l.Plan[0] != "writer: ask" {
		t.Errorf("the state has %+v", l)
	}
	for _, r := range m.Requests() {
		if strings.Contains(r.Last(), "Answer the user") && !strings.Contains(r.Messages[0].Text, "standstill") {
			t.Errorf("the sum is asked for by %q", r.Messages[0].Text)
		}
	}
}

// TestNonsense has a model that answers none of what it is asked.
func TestNonsense(t *testing.T) {
	t.Parallel()
	nonsense := modeltest.Text("Well, well.").Always()
	for name, tt := range map[string]struct {
		replies  []modeltest.Reply
		fallback func() groupchat.Manager
		retries  int
		want     string
		code     errcode.Code
	}{
		"in the plan":              {[]modeltest.Reply{nonsense}, nil, 0, "", errcode.ModelResponse},
		"in the plan, a fallback":  {[]modeltest.Reply{nonsense}, groupchat.Sequential(), 0, "finder: I am on my own. | writer: I am on my own.", ""},
		"in a judgement":           {[]modeltest.Reply{drafts("x", "finder: look"), nonsense}, groupchat.Sequential(), -1, "finder: I am on my own. | writer: I am on my own.", ""},
		"away":                     {[]modeltest.Reply{modeltest.Fails(errcode.ModelUnavailable).Always()}, groupchat.Sequential(), 0, "finder: I am on my own. | writer: I am on my own.", ""},
		"away, without a fallback": {[]modeltest.Reply{modeltest.Fails(errcode.ModelUnavailable).Always()}, nil, 0, "", errcode.ModelUnavailable},
		"mended": {[]modeltest.Reply{modeltest.Text("Well."), modeltest.Text(`{"plan":[],"facts":{}}`), modeltest.Text(`Here: {"plan":["finder: look"],"facts":{}}`),
			judges("nobody", true, "").When("How far"), judges("finder", true, "").When("there is no \"nobody\""), satisfied, sums}, nil, 0, "finder: Now, finder! | lead: It costs 3.", ""},
		"a judge of nothing": {[]modeltest.Reply{drafts("x", "finder: look"), modeltest.Text(`{"satisfied":"no"}`).Always()}, nil, 0, "", errcode.ModelResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := modeltest.New(t, tt.replies...)
			th := groupchattest.NewThread(t, office(plan.Options{Model: m, Fallback: tt.fallback, Retries: tt.retries}), groupchattest.Options{})
			run := th.Say("go")
			if run.Code() != tt.code {
				t.Errorf("the run ended with %q, want %q", run.Code(), tt.code)
			}
			if got := said(th, 1); tt.code == "" && strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

// TestALedgerIsBounded lets a model write too much, and reads what the state has.
func TestALedgerIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", plan.MaxEntryBytes)
	steps := make([]string, 3*plan.MaxEntries)
	for i := range steps {
		steps[i] = long
	}
	m := modeltest.New(t, drafts(long, steps...), satisfied)
	th := groupchattest.NewThread(t, office(plan.Options{Model: m, Store: "/plan", NoFinal: true}), groupchattest.Options{})
	th.Say(strings.Repeat("task ", 10_000))
	if size := len(th.Thread().State()); size > plan.MaxLedger+8<<10 {
		t.Errorf("the state has %d bytes", size)
	}
}

// TestWhatAnEarlierTaskKnew is in the prompt for the next plan, unless it was overwritten with nonsense.
func TestWhatAnEarlierTaskKnew(t *testing.T) {
	t.Parallel()
	for known, state := range map[bool]string{true: `{"plan":{"facts":{"given":["hats are red"]}}}`, false: `{"plan":{"facts":"hats are red"}}`} {
		m := modeltest.New(t, drafts("x", "finder: look"), satisfied)
		th := groupchattest.NewThread(t, office(plan.Options{Model: m, Store: "/plan", NoFinal: true}), groupchattest.Options{Options: thread.Options{State: json.RawMessage(state)}})
		th.Say("go")
		if told := strings.Contains(m.Requests()[0].Messages[0].Text, "Given: hats are red"); told != known {
			t.Errorf("told of the facts: %t, want %t", told, known)
		}
	}
}

func TestAPlannerInATeam(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, drafts("x", "finder: look"), judges("finder", true, ""), satisfied, sums)
	inner := office(plan.Options{Model: m, Review: &plan.Review{TTL: time.Hour}})
	outer := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "office", Agent: inner}, worker("last")}}
	if info := outer.Describe(); !info.Interrupts || info.Participants[0].Manager != "plan" {
		t.Errorf("Describe() = %+v", info)
	}
	th := groupchattest.NewThread(t, outer, groupchattest.Options{})
	th.Say("go")
	th.Answer(map[string]any{"plan-1": map[string]any{"approved": true}})
	if got := said(th, 1); got != "finder: Now, finder! | lead: It costs 3. | last: I am on my own." {
		t.Errorf("said %q", got)
	}
	for want, o := range map[string]plan.Options{
		"has no model":               {},
		"-1 as most stalls":          {Model: m, MaxStalls: -1},
		`"plan", which is not`:       {Model: m, Store: "plan"},
		"fallback takes turns":       {Model: m, Fallback: plan.Manager(plan.Options{Model: m})},
		`fallback: names "somebody"`: {Model: m, Fallback: groupchat.Rules("somebody")},
	} {
		if err := office(o).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
}
