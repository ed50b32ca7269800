package groupchat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// change runs before until it asks under "k", puts after in its place and answers.
func change(t *testing.T, before, after Agent) *stream {
	t.Helper()
	r := newRig(t, before)
	must(t, r.say("x").err)
	if len(r.open) != 1 {
		t.Fatalf("open = %v", r.open)
	}
	r.root = after
	return r.run(r.yes())
}

// refused wants a changed team to be refused, and nothing to have happened (I3).
func refused(t *testing.T, s *stream) {
	t.Helper()
	codeOf(t, s, errcode.CheckpointIncompatible)
	if len(s.events) != 3 {
		t.Errorf("sent %s", s.shape())
	}
}

// lineup are participants of whom the first to be asked is a; the others speak.
func lineup(names ...string) []Participant {
	var list []Participant
	for _, name := range names {
		p := Participant{Name: name, Agent: sayer(name)}
		if name == "a" {
			p.Agent = asker("k")
		}
		list = append(list, p)
	}
	return list
}

// TestAChangedOrderGoesOnByName pauses in a and continues with the team in another order, or with more in it: each has
// the turn that is due, and none has one twice.
func TestAChangedOrderGoesOnByName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		manager       func() Manager
		before, after string
		rounds        int
		want          string
	}{
		{"sequential, another order", Sequential(), "a b c", "b a c", 0, "a b c"},
		{"sequential, turned round", Sequential(), "a b c", "c b a", 0, "a c b"},
		{"sequential, one more in front", Sequential(), "a b", "new a b", 0, "a new b"},
		{"sequential, one more at the end", Sequential(), "b a", "b a new", 0, "a new"},
		{"round robin, another order", RoundRobin(), "a b c", "b a c", 4, "a c b a"},
		{"round robin, one more in front", RoundRobin(), "b a", "new b a", 4, "a new b"},
	}
	for _, tt := range tests {
		before, after := team(tt.manager, lineup(strings.Fields(tt.before)...)...), team(tt.manager, lineup(strings.Fields(tt.after)...)...)
		before.MaxRounds, after.MaxRounds = tt.rounds, tt.rounds
		s := change(t, before, after)
		if s.err != nil || strings.Join(s.steps(), " ") != tt.want {
			t.Errorf("%s: steps %q, %v, want %q", tt.name, s.steps(), s.err, tt.want)
		}
	}
}

func TestAnotherManagerDoesNotGoOn(t *testing.T) {
	t.Parallel()
	custom := func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			return Decision{Speaker: "a", Done: v.Round > 0}, nil
		})
	}
	managers := map[string]func() Manager{
		"sequential": Sequential(), "round robin": RoundRobin(), "custom": custom,
		"rules": Rules("b", Rule{missing("/a"), "a"}), "route": Route("/x", map[string]string{"b": "b"}, "a"),
		"handoff": Handoff(HandoffOptions{Start: "a"}), "model": LLMManager(LLMManagerOptions{Model: newMind(t, says(`{"next_speaker":"a"}`)).model()}),
	}
	for was, before := range managers {
		for is, after := range managers {
			old, young := team(before, lineup("a", "b")...), team(after, lineup("a", "b")...)
			old.MaxRounds, young.MaxRounds = 1, 1
			s := change(t, old, young)
			if was == is {
				must(t, s.err)
				continue
			}
			if errcode.Of(s.err) != errcode.CheckpointIncompatible || len(s.events) != 3 {
				t.Errorf("from %s to %s: ended with %v: %s", was, is, s.err, s.shape())
			}
		}
	}
}

func TestAHandoffThatIsNoLongerPossibleDoesNotGoOn(t *testing.T) {
	t.Parallel()
	build := func(edges map[string][]string) *Chat {
		people := lineup("a", "b", "c")
		people[0].Agent = AgentFunc(func(ctx context.Context, t *Turn) error { t.Goto("b"); return asker("k").Run(ctx, t) })
		return team(Handoff(HandoffOptions{Start: "a", Edges: edges}), people...)
	}
	before := map[string][]string{"a": {"b", "c"}, "b": {"c"}}
	for name, tt := range map[string]struct {
		after map[string][]string
		goes  bool
	}{
		"the same":                   {before, true},
		"more":                       {map[string][]string{"a": {"c", "b"}, "b": {"c", "a"}}, true},
		"everybody to everybody":     {nil, true},
		"another speaker's are less": {map[string][]string{"a": {"b", "c"}}, true},
		"its own are less":           {map[string][]string{"a": {"c"}, "c": {"b"}}, false},
	} {
		s := change(t, build(before), build(tt.after))
		if !tt.goes {
			refused(t, s)
			continue
		}
		if s.err != nil || !slices.Equal(s.steps(), []string{"a", "b"}) {
			t.Errorf("%s: steps %q, %v", name, s.steps(), s.err)
		}
	}
	refused(t, change(t, build(nil), build(map[string][]string{"a": {"c"}, "c": {"b"}})))
}

// TestAnotherKindOfAgentDoesNotGoOn puts another agent under the name of the one that asked. What the one remembers
// means nothing to the other, which would begin anew and drop the answer.
func TestAnotherKindOfAgentDoesNotGoOn(t *testing.T) {
	t.Parallel()
	tool := func() Agent {
		return &LLM{Model: newMind(t, calls("f", `{}`), says("Done.")).model(), Tools: []Tool{(&counted{}).tool("f")}, Approve: tools.Approvals{All: true}}
	}
	ask := resumer{asker("k")}
	own := Scoping{Kind: ScopeIsolated}
	agents := map[string]func() Agent{
		"function": func() Agent { return asker("k") },
		"model":    tool,
		"script":   func() Agent { return ask },
		"team":     func() Agent { return team(Sequential(), lineup("a")...) },
		"fan":      func() Agent { return &Concurrent{Participants: lineup("a")} },
		"review":   func() Agent { return Review(asker("k"), ReviewOptions{}) },
		"hidden":   func() Agent { return Sub(ask, SubOptions{Output: OutputNone}) },
		"scoped":   func() Agent { return Sub(ask, SubOptions{State: own}) },
	}
	for was, before := range agents {
		for is, after := range agents {
			s := change(t, team(Sequential(), Participant{Name: "p", Agent: before()}), team(Sequential(), Participant{Name: "p", Agent: after()}))
			if was == is {
				if s.err != nil {
					t.Errorf("%s: ended with %v", was, s.err)
				}
				continue
			}
			if errcode.Of(s.err) != errcode.CheckpointIncompatible || len(s.events) != 3 {
				t.Errorf("from %s to %s: ended with %v: %s", was, is, s.err, s.shape())
			}
		}
	}
	refused(t, change(t, team(Sequential(), Participant{Name: "p", Agent: ask, Scope: own}), team(Sequential(), Participant{Name: "p", Agent: ask})))
	// The wrappers around it may change.
	s := change(t, team(Sequential(), Participant{Name: "p", Agent: ask}), team(Sequential(), Participant{Name: "p", Agent: Sub(ask, SubOptions{Result: "/said"}), Writes: []string{"/said"}}))
	must(t, s.err)
}

// A resumer is an agent of another kind.
type resumer struct{ Agent }

func (resumer) Kind() string { return "script" }

func (resumer) CanResume(func(string) (json.RawMessage, bool)) error { return nil }

// Version 1 of checkpoints was part of no release.
func TestACheckpointOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []int{0, 1, checkpointVersion + 1} {
		r := newRig(t, asker("k"))
		must(t, r.say("x").err)
		var c checkpoint
		must(t, json.Unmarshal(r.checkpoint, &c))
		c.V = version
		raw, err := json.Marshal(c)
		must(t, err)
		r.checkpoint = raw
		codeOf(t, r.answer(map[string]string{"k": "1"}), errcode.CheckpointIncompatible)
	}
}
