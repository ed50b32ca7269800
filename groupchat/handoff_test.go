package groupchat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// desk is an agent that says who it is and hands over to the first of its list that it has not named yet.
func desk(name string, to ...string) Agent {
	i := 0
	return AgentFunc(func(_ context.Context, t *Turn) error {
		if i < len(to) {
			t.Goto(to[i])
			i++
		}
		return SayOnce(t, "say", name)
	})
}

func TestRow24TheSpeakerNamesTheNextAndTheUserGetsControlBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, team(Handoff(HandoffOptions{Start: "triage"}),
		Participant{Name: "triage", Agent: desk("triage", "billing", "")},
		Participant{Name: "billing", Agent: desk("billing", "refunds", "", "triage")},
		Participant{Name: "refunds", Agent: desk("refunds")}))
	for _, want := range [][]string{
		{"triage", "billing", "refunds"}, // and refunds names none
		{"refunds"},                      // who had control has it still
	} {
		s := r.say("x")
		must(t, s.err)
		equal(t, "steps", s.steps(), want)
	}
}

func TestRow24ControlIsReadOffTheConversation(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "deep", Agent: sayer("deep")})
	r := newRig(t, team(Handoff(HandoffOptions{Start: "triage"}),
		Participant{Name: "triage", Agent: desk("triage", "nest", "silent")}, Participant{Name: "nest", Agent: inner},
		Participant{Name: "silent", Agent: AgentFunc(func(context.Context, *Turn) error { return nil })}))
	equal(t, "steps", r.say("x").steps(), []string{"triage", "nest", "nest.deep"})
	equal(t, "the nested one has control", r.say("x").steps(), []string{"nest", "nest.deep"})
	r.messages = r.messages[:2]
	equal(t, "triage has", r.say("x").steps(), []string{"triage", "silent"})
	equal(t, "who says nothing gets none", r.say("x").steps()[0], "triage")
}

func TestRow24EdgesRestrictHandoffs(t *testing.T) {
	t.Parallel()
	var told []string
	tells := func(next string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			for _, i := range t.Handoffs() {
				told = append(told, t.Path()+">"+i.Name+":"+i.Description)
			}
			t.Goto(next)
			return SayOnce(t, "say", t.Path())
		})
	}
	edges := map[string][]string{"a": {"b"}, "b": {"c"}}
	people := []Participant{{Name: "a", Agent: tells("b")}, {Name: "b", Agent: tells("a"), Description: "second"}, {Name: "c", Agent: tells("")}}
	s := newRig(t, team(Handoff(HandoffOptions{Start: "a", Edges: edges}), people...)).say("x")
	codeOf(t, s, errcode.UnknownSpeaker)
	if !strings.Contains(s.err.Error(), `"b" may not hand over to "a"`) {
		t.Errorf("ended with %v", s.err)
	}
	equal(t, "targets", told, []string{"a>b:second", "b>c:"})
	told = nil
	people[1].Agent = tells("c")
	must(t, newRig(t, team(Handoff(HandoffOptions{Start: "a"}), people...)).say("x").err)
	equal(t, "a mesh", told, []string{"a>b:second", "a>c:", "b>a:", "b>c:", "c>a:", "c>b:second"})
	people[2].Agent = tells("c")
	codeOf(t, newRig(t, team(Handoff(HandoffOptions{Start: "c"}), people...)).say("x"), errcode.UnknownSpeaker)
	told = nil
	must(t, newRig(t, team(Sequential(), people[0])).say("x").err)
	equal(t, "no handoff manager", told, nil)
}

func TestRow24AutonomousSpeakersGoOnToACap(t *testing.T) {
	t.Parallel()
	turns := 0
	works := AgentFunc(func(_ context.Context, t *Turn) error {
		turns++
		return SayOnce(t, "say", fmt.Sprintf("%v", t.Instruction() != ""))
	})
	run := func(o HandoffOptions, max int, agent Agent) *rig {
		turns = 0
		o.Start, o.Autonomous = "a", true
		chat := team(Handoff(o), Participant{Name: "a", Agent: agent})
		chat.MaxRounds = max
		r := newRig(t, chat)
		must(t, r.say("x").err)
		return r
	}
	r := run(HandoffOptions{TurnsEach: 60}, 0, works)
	equal(t, "turns", turns, 50)
	equal(t, "instructed", texts(r.messages)[1:3], []string{"false", "true"})
	run(HandoffOptions{Turns: 3}, 0, works)
	equal(t, "turns", turns, 3)
	run(HandoffOptions{TurnsEach: 4}, 0, works)
	equal(t, "turns", turns, 4)
	run(HandoffOptions{Turns: 3}, 2, works)
	equal(t, "turns", turns, 2)
	run(HandoffOptions{}, 0, AgentFunc(func(ctx context.Context, t *Turn) error {
		if turns == 1 {
			t.Goto(Done)
		}
		return works.Run(ctx, t)
	}))
	equal(t, "turns", turns, 2)
}

func TestRow89APingPongOfHandoffsHasAnEnd(t *testing.T) {
	t.Parallel()
	to := func(name string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error { t.Goto(name); return SayOnce(t, "say", "not mine") })
	}
	r := newRig(t, team(Handoff(HandoffOptions{Start: "a"}), Participant{Name: "a", Agent: to("b")}, Participant{Name: "b", Agent: to("a")}))
	r.maxTurns = 20
	codeOf(t, r.say("x"), errcode.BudgetExceeded)
	r.maxTurns = 0
	must(t, r.say("x").err)
	equal(t, "turns", len(r.messages), 52)
}

func TestRow24AHandoffOutlivesAPauseAndNotAFailure(t *testing.T) {
	t.Parallel()
	asks := AgentFunc(func(ctx context.Context, t *Turn) error { t.Goto("b"); return asker("k").Run(ctx, t) })
	r := newRig(t, team(Handoff(HandoffOptions{Start: "a"}), Participant{Name: "a", Agent: asks}, Participant{Name: "b", Agent: sayer("b")}))
	must(t, r.say("x").err)
	s := r.answer(map[string]string{"k": "1"})
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"a", "b"})
	tries := 0
	fails := AgentFunc(func(_ context.Context, t *Turn) error {
		if tries++; tries == 1 {
			t.Goto("b")
			return errors.New("boom")
		}
		return nil
	})
	p := Participant{Name: "a", Agent: fails, OnError: failure.Policy{Retries: 1}}
	chat := team(Handoff(HandoffOptions{Start: "a"}), p, Participant{Name: "b", Agent: sayer("b")})
	equal(t, "steps", newRig(t, chat).say("x").steps(), []string{"a", "a"})
	tries, chat.Participants[0].OnError = 0, failure.Policy{Skip: true}
	equal(t, "steps", newRig(t, chat).say("x").steps(), []string{"a"})
}

func TestRow116HandoffMistakesAreBuildErrors(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]HandoffOptions{
		`starts with ""`:                       {},
		`starts with "nobody"`:                 {Start: "nobody"},
		`begins at "x"`:                        {Start: "a", Edges: map[string][]string{"x": {"a"}, "a": {"b"}}},
		`"a" hands over to "x"`:                {Start: "a", Edges: map[string][]string{"a": {"x", "b"}}},
		`"a" hands over to itself`:             {Start: "a", Edges: map[string][]string{"a": {"a", "b"}}},
		`nobody hands over to participant "b"`: {Start: "a", Edges: map[string][]string{"b": {"a"}}},
		`turns is -1`:                          {Start: "a", Turns: -1},
	} {
		err := team(Handoff(o), Participant{Name: "a", Agent: sayer("a")}, Participant{Name: "b", Agent: sayer("b")}).Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to contain %s", err, want)
		}
	}
}
