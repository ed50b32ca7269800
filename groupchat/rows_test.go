package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// sets is an agent that brings what its pointer lacks.
func sets(pointer string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set(pointer, []string{t.Path()}) })
}

// star is a team with a supervisor that chooses the speaker by the missing values.
func star(names ...string) *Chat {
	var rules []Rule
	var people []Participant
	for _, name := range names {
		rules = append(rules, Rule{missing("/" + name), name})
		people = append(people, Participant{Name: name, Agent: sets("/" + name)})
	}
	decide := Rules(Done, rules...)
	return team(func() Manager {
		return managerFunc(func(ctx context.Context, v View) (Decision, error) {
			d, err := decide().Next(ctx, v)
			d.Say = "next: " + d.Speaker
			return d, err
		})
	}, people...)
}

func TestRow3AStarAndRow20PriorityByWhatIsMissing(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{}`:                        "supervisor a supervisor b supervisor c supervisor",
		`{"b":["there"],"a":[]}`:    "supervisor a supervisor c supervisor",
		`{"a":[1],"b":[1],"c":[1]}`: "supervisor",
	} {
		r := newRig(t, star("a", "b", "c"))
		r.state = json.RawMessage(doc)
		s := r.say("x")
		must(t, s.err)
		equal(t, doc, strings.Join(s.steps(), " "), want)
	}
}

func TestRow2AChatIsAnAgentWhereverOneIs(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "a", Agent: sayer("a")})
	for want, root := range map[string]Agent{
		"a { a } a":                 inner,
		"in { in.a { a } in.a } in": team(Sequential(), Participant{Name: "in", Agent: inner}),
		"fan { fan.in { fan.in.a { a } fan.in.a } fan.in } fan": team(Sequential(), Participant{Name: "fan", Agent: &Concurrent{Participants: []Participant{{Name: "in", Agent: inner}}}}),
	} {
		s := newRig(t, root).say("x")
		must(t, s.err)
		equal(t, "stream", s.shape(), want)
	}
}

func TestRow34ACommitPerTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nested(3, sayer("leaf")))
	s := r.say("x")
	must(t, s.err)
	equal(t, "commits", len(r.commits), len(s.steps()))
	said := 1
	for _, c := range r.commits { // and each holds all messages up to it
		if len(c.messages) < said {
			t.Errorf("a commit of %d messages follows one of %d", len(c.messages), said)
		}
		said = len(c.messages)
	}
	equal(t, "at the end", said, len(r.messages))
}

func TestRow38AChildWritesItsParentsStateThroughTheSameReducers(t *testing.T) {
	t.Parallel()
	note := func(text string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/notes", text) })
	}
	inner := team(Sequential(), Participant{Name: "deep", Agent: note("deep")})
	r := newRig(t, team(Sequential(), Participant{Name: "a", Agent: note("top")}, Participant{Name: "in", Agent: inner}))
	r.reducers = document.Reducers{"/notes": document.Append}
	s := r.say("x")
	must(t, s.err)
	equal(t, "state", string(r.state), `{"notes":["top","deep"]}`)
	equal(t, "stream", s.shape(), "a { state } a in { in.deep { state } in.deep } in")
}

func TestRow43NoRunBeginsInsideARun(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{Participants: []Participant{{Name: "a", Agent: nested(2, sayer("leaf"))}, {Name: "b", Agent: Sub(nested(2, sayer("leaf")), SubOptions{})}}}
	s := newRig(t, team(Sequential(), Participant{Name: "fan", Agent: fan})).say("x")
	must(t, s.err)
	runs, texts := 0, 0
	for _, e := range s.events {
		switch e.(type) {
		case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
			runs++
		case *agui.TextMessageStart:
			texts++
		}
	}
	equal(t, "lifecycle events", runs, 2)
	equal(t, "inner texts", texts, 6)
}

func TestRow75FullRow77CustomAndRow78SeenWithoutATurn(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	watch := func(name string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			seen[name] = append(seen[name], strings.Join(texts(t.Messages()), ","), strings.Join(texts(t.News()), ","))
			return SayOnce(t, "say", name)
		})
	}
	filter := func(v View) []Message {
		return slices.DeleteFunc(slices.Clone(v.History()), func(m Message) bool { return m.Role != agui.RoleUser })
	}
	chat := team(func() Manager { return &cursor{order: []string{"a", "b", "a", "late", "custom"}} },
		Participant{Name: "a", Agent: watch("a")}, Participant{Name: "b", Agent: watch("b")},
		Participant{Name: "late", Agent: watch("late")}, Participant{Name: "custom", Agent: watch("custom"), Context: Context{Select: filter}})
	r := newRig(t, chat)
	s := r.say("x")
	must(t, s.err)
	equal(t, "full", seen["a"], []string{"x", "x", "x,a,b", "b"})
	equal(t, "primed by what was said before its first turn", seen["late"], []string{"x,a,b,a", "x,a,b,a"})
	equal(t, "custom", seen["custom"], []string{"x", "x"})
	equal(t, "nobody else had a step", s.steps(), []string{"a", "b", "a", "late", "custom"})
}

func TestRow76TheLastSpeakerMayBeATeam(t *testing.T) {
	t.Parallel()
	var seen []string
	listener := AgentFunc(func(_ context.Context, t *Turn) error { seen = texts(t.Messages()); return nil })
	supervised := func(agents ...Participant) *Chat {
		return team(func() Manager {
			return managerFunc(func(_ context.Context, v View) (Decision, error) {
				if v.Round == len(agents) {
					return Decision{Done: true}, nil
				}
				return Decision{Speaker: agents[v.Round].Name, Say: "next"}, nil
			})
		}, agents...)
	}
	pair := []Participant{{Name: "a", Agent: sayer("A")}, {Name: "b", Agent: sayer("B")}}
	last := Participant{Name: "last", Agent: listener, Context: Context{Last: true}}
	for want, agent := range map[string]Agent{
		"A,B":           &Concurrent{Participants: pair, Output: OutputHistory},
		"next,A,next,B": supervised(pair...),
		"host":          AgentFunc(func(context.Context, *Turn) error { return nil }),
	} {
		must(t, newRig(t, supervised(Participant{Name: "host", Agent: sayer("host")}, Participant{Name: "team", Agent: agent}, last)).say("x").err)
		equal(t, "seen", strings.Join(seen, ","), want)
	}
}

func TestRow80ATurnsResultIsWhoWhatAndTheWholeConversation(t *testing.T) {
	t.Parallel()
	var got Reply
	var all []string
	root := AgentFunc(func(_ context.Context, t *Turn) (err error) {
		inner := team(Sequential(), Participant{Name: "one", Agent: sayer("first")}, Participant{Name: "two", Agent: sayer("last")})
		got, err = t.Invoke("in", inner, InvokeOptions{})
		all = texts(t.Messages())
		return err
	})
	must(t, newRig(t, root).say("x").err)
	equal(t, "name", got.Name, "in")
	equal(t, "reply", got.Text(), "last")
	equal(t, "said", texts(got.Messages), []string{"first", "last"})
	equal(t, "conversation", all, []string{"x", "first", "last"})
}

func TestRow85RulesInOrderWithExactlyOneDefault(t *testing.T) {
	t.Parallel()
	m := Rules("other", Rule{not(missing("/a")), "a"}, Rule{not(missing("/b")), "b"})
	for doc, want := range map[string]string{`{"a":1,"b":1}`: "a", `{"b":1}`: "b", `{}`: "other"} {
		d, err := decide(t, m, doc, View{})
		must(t, err)
		equal(t, doc, d.Speaker, want)
	}
	if err := Rules("")().(Checker).Check(nil); err == nil || !strings.Contains(err.Error(), "no default") {
		t.Errorf("Check() = %v", err)
	}
}

func TestRow87AChatTellsWhoIsInIt(t *testing.T) {
	t.Parallel()
	chat := team(Sequential(), Participant{Name: "form", Agent: described("a form"), Description: "asks"},
		Participant{Name: "in", Agent: &Chat{Description: "inner", Participants: []Participant{{Name: "a", Agent: sayer("a")}}}})
	inner := profile.Info{Name: "in", Description: "inner", Interrupts: true, Participants: []profile.Info{{Name: "a", Interrupts: true}}, Structure: profile.Structure{Kind: profile.KindChat}}
	equal(t, "info", chat.Describe(), profile.Info{
		Interrupts: true, Participants: []profile.Info{{Name: "form", Description: "asks"}, inner},
		Structure: profile.Structure{Kind: profile.KindChat, Manager: "sequential", Supervisor: "supervisor"},
	})
}

func TestRow88EventsKeepTheirOrderPerStep(t *testing.T) {
	t.Parallel()
	busy := AgentFunc(func(_ context.Context, t *Turn) error {
		for i := range 5 {
			if err := SayOnce(t, fmt.Sprint(i), fmt.Sprintf("%s:%d", t.Path(), i)); err != nil {
				return err
			}
		}
		return nil
	})
	r := newRig(t, &Concurrent{Participants: []Participant{{Name: "a", Agent: busy}, {Name: "b", Agent: busy}}})
	must(t, r.say("x").err)
	next := map[string]int{}
	for _, m := range r.messages[1:] {
		equal(t, m.Name, m.Content.Text(), fmt.Sprintf("%s:%d", m.Name, next[m.Name]))
		next[m.Name]++
	}
	equal(t, "messages", next, map[string]int{"a": 5, "b": 5})
}

func TestRow103TheCheckpointIsPlainJSON(t *testing.T) {
	t.Parallel()
	chat := team(func() Manager { return &cursor{order: []string{"a", "fan"}} }, Participant{Name: "a", Agent: sayer("a")},
		Participant{Name: "fan", Agent: &Concurrent{Participants: []Participant{
			{Name: "one", Agent: Sub(team(Sequential(), Participant{Name: "in", Agent: asker("k")}), SubOptions{State: Scoping{Kind: ScopeIsolated}, Output: OutputNone})},
		}}})
	r := newRig(t, chat)
	must(t, r.say("x").err)
	equal(t, "checkpoint", string(r.checkpoint), `{"v":2,"signature":["a","fan","fan.one","fan.one.in"],"root":{"id":"1","form":"chat","chat":{"round":2,"last":"a","inARow":1,"since":"u1","manager":2,"kind":"custom",`+
		`"turn":{"id":"1/fan@2","speaker":"fan","form":"fan","subagentRunId":"sub_4","begun":true,"after":"3","children":{"one":{"id":"1/fan@2/one","speaker":"one","form":"sub:isolated sub:none chat",`+
		`"subagentRunId":"sub_5","begun":true,"after":"3","chat":{"round":1,"kind":"sequential","turn":{"id":"1/fan@2/one/in@1","speaker":"in","form":"custom","subagentRunId":"sub_6","begun":true,`+
		`"after":"3","acted":true,"asks":{"k":"int_7"},"asked":{"k":"f5e1c20792c0017d"}}},"sub":{"after":"3","begun":true,"scope":{}}}}},"seen":{"a":"3"}}}}`)
}

func TestRow107APauseThatCannotBeKeptIsAnError(t *testing.T) {
	t.Parallel()
	r := newRig(t, team(Sequential(), Participant{Name: "a", Agent: sayer("a"), OnError: failure.Policy{Skip: true}}, Participant{Name: "b", Agent: asker("k")}))
	r.failAt = 1
	if s := r.say("x"); s.err == nil || s.result.Pause != nil {
		t.Errorf("ended with %v, %v", s.result, s.err)
	}
}

// TestRow54TwoLeavesFiveDeepPauseAtOnce is a chat in a chat, five deep, with two branches that begin at the top, half
// way down and at the bottom. Both leaves ask; what the run keeps goes through JSON twice; one resume answers both.
func TestRow54TwoLeavesFiveDeepPauseAtOnce(t *testing.T) {
	t.Parallel()
	leaf := func(key string) Agent {
		return AgentFunc(func(ctx context.Context, t *Turn) error {
			if err := SayOnce(t, "hello", fmt.Sprintf("%s asks", t.Path())); err != nil {
				return err
			}
			return asker(key).Run(ctx, t)
		})
	}
	for split := 1; split <= 5; split++ {
		chain := func(levels int, below Agent) Agent {
			for range levels {
				below = team(Sequential(), Participant{Name: "host", Agent: sayer("host")}, Participant{Name: "down", Agent: below})
			}
			return below
		}
		fan := &Concurrent{Participants: []Participant{
			{Name: "left", Agent: chain(5-split, leaf("l"))}, {Name: "right", Agent: Sub(chain(5-split, leaf("r")), SubOptions{State: Scoping{Kind: ScopeIsolated}})},
		}}
		r := newRig(t, chain(split, fan))
		first := r.say("x")
		must(t, first.err)
		equal(t, "questions", len(r.open), 2)
		deep := strings.Repeat("down.", split) + "left" + strings.Repeat(".down", 5-split)
		equal(t, "path", where(r.open[0]).Path, deep)
		var again checkpoint
		must(t, json.Unmarshal(r.checkpoint, &again))
		raw, err := json.Marshal(again)
		must(t, err)
		equal(t, "through JSON", string(raw), string(r.checkpoint))
		s := r.answer(map[string]string{"l": `"left"`, "r": `"right"`})
		must(t, s.err)
		if len(r.open) > 0 {
			t.Errorf("split at %d: asks again", split)
		}
		answered := map[string]string{}
		for _, m := range r.messages[len(r.messages)-2:] {
			answered[m.Content.Text()] = m.SubagentRunID
		}
		for _, i := range first.result.Pause.Interrupts {
			if key := `"` + map[string]string{"l": "left", "r": "right"}[where(i).Key] + `"`; answered[key] != i.SubagentRunID {
				t.Errorf("split at %d: %s reached %s, want %s", split, key, answered[key], i.SubagentRunID)
			}
		}
		for _, step := range s.steps() {
			if strings.HasSuffix(step, "host") {
				t.Errorf("split at %d: %s spoke again", split, step)
			}
		}
	}
}
