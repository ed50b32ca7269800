package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// nested is a leaf under depth chats, each with somebody who speaks before it.
func nested(depth int, leaf Agent) Agent {
	for level := depth; level > 0; level-- {
		name := "leaf"
		if level < depth {
			name = fmt.Sprint("level", level+1)
		}
		leaf = team(Sequential(), Participant{Name: "host", Agent: sayer(fmt.Sprint("host", level))}, Participant{Name: name, Agent: leaf})
	}
	return leaf
}

func TestRow54PausesResumeInTheRightLeafHoweverDeep(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{3, 5, maxDepth} {
		calls := 0
		leaf := AgentFunc(func(ctx context.Context, t *Turn) error {
			if _, err := Once(t, "work", func() (int, error) { calls++; return calls, nil }); err != nil {
				return err
			}
			return asker("k").Run(ctx, t)
		})
		r := newRig(t, nested(depth, leaf))
		first := r.say("x")
		must(t, first.err)
		equal(t, "closings", len(first.result.Closings), 2*depth)
		second := r.answer(map[string]string{"k": `"yes"`})
		must(t, second.err)
		equal(t, "computed", calls, 1)
		equal(t, "resumed steps", len(second.steps()), depth) // no host speaks again
		last := r.messages[len(r.messages)-1]
		equal(t, "answer", last.Content.Text(), `"yes"`)
	}
}

// TestAMappedStateIsOfOneTurn gives each turn the inputs of its day and nothing that an earlier one left beside them;
// an isolated state is the participant's for the whole run.
func TestAMappedStateIsOfOneTurn(t *testing.T) {
	t.Parallel()
	for kind, want := range map[ScopeKind]string{ScopeMapped: `{"in":1} {"in":2} {}`, ScopeIsolated: `{} {"own":1} {"own":2}`} {
		var seen []string
		turns := 0
		works := AgentFunc(func(_ context.Context, t *Turn) error {
			seen = append(seen, string(t.State().JSON()))
			turns++
			return t.State().Set("/own", turns)
		})
		changes := AgentFunc(func(_ context.Context, t *Turn) error {
			if turns == 2 {
				return t.State().Remove("/given")
			}
			return t.State().Set("/given", turns+1)
		})
		scope := Scoping{Kind: kind}
		if kind == ScopeMapped {
			scope.Mapping = document.Mapping{In: map[string]string{"in": "/given"}}
		}
		chat := team(RoundRobin(), Participant{Name: "c", Agent: changes}, Participant{Name: "w", Agent: works, Scope: scope})
		chat.MaxRounds = 6
		must(t, newRig(t, chat).say("x").err)
		equal(t, string(kind), strings.Join(seen, " "), want)
	}
}

func TestRow44QualifiedIDs(t *testing.T) {
	t.Parallel()
	r := newRig(t, nested(3, asker("k")))
	s := r.say("x")
	must(t, s.err)
	equal(t, "where", where(r.open[0]), struct{ Path, Key string }{"level2.level3.leaf", "k"})
	equal(t, "steps", s.steps(), []string{"host", "level2", "level2.host", "level2.level3", "level2.level3.host", "level2.level3.leaf"})
}

func TestRow45NestedAndFlatQuestionsLookAlike(t *testing.T) {
	t.Parallel()
	flat, deep := newRig(t, nested(1, asker("k"))), newRig(t, nested(3, asker("k")))
	must(t, flat.say("x").err)
	must(t, deep.say("x").err)
	a, b := flat.open[0], deep.open[0]
	for _, i := range []*ask.Interrupt{&a, &b} {
		if i.ID == "" || i.SubagentRunID == "" {
			t.Errorf("interrupt %+v lacks an id", i)
		}
		i.ID, i.SubagentRunID = "", ""
		delete(i.Metadata, "groupchat")
	}
	equal(t, "envelope", a, b)
}

func TestG4TheSameInvocationIsAnnouncedAgainOnResume(t *testing.T) {
	t.Parallel()
	r := newRig(t, nested(2, asker("k")))
	ids := func(s *stream) map[string]string {
		m := map[string]string{}
		for _, e := range s.events {
			if a, ok := e.(*agui.SubagentStarted); ok {
				m[a.Name] = a.SubagentRunID + "<" + a.ParentSubagentRunID
			}
		}
		return m
	}
	first := ids(r.say("x"))
	checkpoint, asked := r.checkpoint, r.open[0]
	second := ids(r.answer(map[string]string{"k": "1"}))
	for _, name := range []string{"level2", "leaf"} {
		if first[name] != second[name] || first[name] == "" {
			t.Errorf("%s is %q, then %q", name, first[name], second[name])
		}
	}
	// A takeover repeats what this very run has announced.
	answers := map[string]state.Answer{asked.ID: {Status: agui.ResumeResolved, Payload: json.RawMessage("1")}}
	third := ids(r.run(Session{Checkpoint: checkpoint, Answers: answers, Takeover: true}))
	for _, name := range []string{"level2", "leaf"} {
		if first[name] == third[name] || third[name] == "" {
			t.Errorf("%s is %q again after a takeover", name, third[name])
		}
	}
}

func TestSuspendedInvocationsNameTheirOwnQuestions(t *testing.T) {
	t.Parallel()
	r := newRig(t, nested(2, asker("k")))
	s := r.say("x")
	var got []string
	for _, e := range s.result.Closings {
		switch e := e.(type) {
		case *agui.SubagentFinished:
			got = append(got, fmt.Sprint(e.Outcome.Type, len(e.Outcome.InterruptIDs)))
		case *agui.StepFinished:
			got = append(got, e.StepName)
		}
	}
	equal(t, "closings", got, []string{"suspended1", "level2.leaf", "suspended0", "level2"})
}

func TestRow36TheSameChatTwiceInOneParent(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "q", Agent: asker("k")})
	r := newRig(t, team(Sequential(), Participant{Name: "one", Agent: inner}, Participant{Name: "two", Agent: inner}))
	must(t, r.say("x").err)
	equal(t, "first asker", where(r.open[0]).Path, "one.q")
	first := r.open[0].ID
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "second asker", where(r.open[0]).Path, "two.q")
	if r.open[0].ID == first {
		t.Error("two questions have one id")
	}
	must(t, r.answer(map[string]string{"k": "2"}).err)
	equal(t, "history", texts(r.messages), []string{"x", "1", "2"})
}

func TestNestedSupervisorsHaveQualifiedSteps(t *testing.T) {
	t.Parallel()
	speaking := func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			if v.Round > 0 {
				return Decision{Done: true}, nil
			}
			return Decision{Speaker: v.Participants[0].Name, Say: "next"}, nil
		})
	}
	r := newRig(t, team(speaking, Participant{Name: "in", Agent: team(speaking, Participant{Name: "a", Agent: sayer("a")})}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"supervisor", "in", "in.supervisor", "in.a"})
	equal(t, "owner of the inner supervisor's words", r.messages[2].SubagentRunID != "", true)
}

func TestRow37IsolatedStateNeverReachesTheWire(t *testing.T) {
	t.Parallel()
	count := AgentFunc(func(ctx context.Context, t *Turn) error {
		n, err := Once(t, "n", func() (n int, err error) { _, err = t.State().Get("/secret", &n); return n, err })
		if err != nil {
			return err
		}
		if err := t.State().Set("/secret", n+1); err != nil {
			return err
		}
		var topic string
		_, _ = t.State().Get("/topic", &topic)
		_, seesOrder := t.State().Raw("/order")
		if err := SayOnce(t, "say", fmt.Sprintf("%d %s %v", n, topic, seesOrder)); err != nil {
			return err
		}
		return asker("k").Run(ctx, t)
	})
	inner := team(Sequential(), Participant{Name: "c", Agent: count})
	topics := AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/subject", t.ID()) })
	chat := team(func() Manager { return &cursor{order: []string{"in", "topics", "in"}} },
		Participant{Name: "in", Agent: inner, Scope: Scoping{Kind: ScopeIsolated, Mapping: document.Mapping{In: map[string]string{"topic": "/subject"}}}},
		Participant{Name: "topics", Agent: topics})
	r := newRig(t, chat)
	r.state = json.RawMessage(`{"subject":"tea","order":1}`)
	runs := []*stream{r.say("x")}
	if !strings.Contains(string(r.checkpoint), `"secret":1`) {
		t.Error("the checkpoint lacks the isolated state")
	}
	runs = append(runs, r.answer(map[string]string{"k": "1"}), r.answer(map[string]string{"k": "2"}))
	for _, s := range runs {
		must(t, s.err)
		for _, e := range s.events {
			if l := line(e); strings.HasPrefix(l, "STATE") && strings.Contains(l, "secret") {
				t.Errorf("sent %s", l)
			}
		}
	}
	equal(t, "words", texts(r.messages), []string{"x", "0 tea false", "1", "1 1/topics@2 false", "2"})
	equal(t, "state", string(r.state), `{"order":1,"subject":"1/topics@2"}`)
}

func TestRow63MappedStateIsCopiedInAndOut(t *testing.T) {
	t.Parallel()
	work := AgentFunc(func(ctx context.Context, t *Turn) error {
		var topic string
		_, _ = t.State().Get("/topic", &topic)
		if err := t.State().Set("/result", "on "+topic); err != nil {
			return err
		}
		if topic == "coffee" {
			return nil
		}
		return asker("k").Run(ctx, t)
	})
	change := AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/subject", "coffee") })
	m := document.Mapping{In: map[string]string{"topic": "/subject"}, Out: map[string]string{"/result": "/notes"}}
	chat := team(func() Manager { return &cursor{order: []string{"w", "change", "w"}} },
		Participant{Name: "w", Agent: work, Scope: Scoping{Kind: ScopeMapped, Mapping: m}}, Participant{Name: "change", Agent: change})
	r := newRig(t, chat)
	r.reducers = document.Reducers{"/notes": document.Append}
	r.state = json.RawMessage(`{"subject":"tea"}`)
	must(t, r.say("x").err)
	equal(t, "nothing out at a pause", string(r.state), `{"subject":"tea"}`)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "state", string(r.state), `{"notes":["on tea","on coffee"],"subject":"coffee"}`)
}

func TestCommitsInsideATurnKeepItsScope(t *testing.T) {
	t.Parallel()
	set := AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/kept", true) })
	inner := team(Sequential(), Participant{Name: "one", Agent: set}, Participant{Name: "two", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
		raw, _ := t.State().Raw("/kept")
		return SayOnce(t, "say", fmt.Sprintf("kept: %s", raw))
	})})
	r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: inner, Scope: Scoping{Kind: ScopeIsolated}}))
	must(t, r.say("x").err)
	equal(t, "commits", len(r.commits), 3)
	r.messages, r.state = r.commits[0].messages, r.commits[0].state
	s := r.run(Session{Checkpoint: r.commits[0].checkpoint, Takeover: true})
	must(t, s.err)
	equal(t, "after a takeover", s.shape(), "in { in.two { kept:  true } in.two } in")
}

func TestRow51InnerAgentsSeeWhatTheirChatIsShown(t *testing.T) {
	t.Parallel()
	var seen []string
	inner := team(Sequential(), Participant{Name: "one", Agent: sayer("inner one")}, Participant{Name: "two", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
		seen = texts(t.Messages())
		return nil
	})})
	must(t, newRig(t, team(Sequential(), Participant{Name: "a", Agent: sayer("A")}, Participant{Name: "b", Agent: sayer("B")},
		Participant{Name: "in", Agent: inner, Context: Context{Last: true}})).say("x").err)
	equal(t, "seen", seen, []string{"B", "inner one"})
}

func TestRow50NestingHasAnEnd(t *testing.T) {
	t.Parallel()
	chat := team(Sequential())
	hidden := AgentFunc(func(ctx context.Context, t *Turn) error { return chat.Run(ctx, t) }) // Validate cannot see through it
	chat.Participants = []Participant{{Name: "me", Agent: hidden}}
	codeOf(t, newRig(t, chat).say("x"), errcode.NotConverged)
}
