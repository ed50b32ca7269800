package groupchat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// after says its text when a channel is closed, and closes its own.
func after(wait, done chan struct{}, text string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		if wait != nil {
			<-wait
		}
		defer close(done)
		return SayOnce(t, "say", text)
	})
}

// backwards are participants of whom each ends before the one in front of it.
func backwards(names ...string) []Participant {
	people := make([]Participant, len(names))
	var wait chan struct{}
	for i, name := range slices.Backward(names) {
		done := make(chan struct{})
		people[i] = Participant{Name: name, Agent: after(wait, done, name+" speaks")}
		wait = done
	}
	return people
}

func TestRow23FanKeepsParticipantOrder(t *testing.T) {
	t.Parallel()
	for _, output := range []OutputMode{OutputBoth, OutputDirect, OutputHistory, OutputNone} {
		var joined []string
		fan := &Concurrent{Participants: backwards("a", "b", "c"), Output: output, Join: func(_ context.Context, t *Turn, replies []Reply) error {
			for _, r := range replies {
				joined = append(joined, r.Name+": "+r.Text())
			}
			return SayOnce(t, "joined", fmt.Sprintf("%d", len(replies)))
		}}
		var seen []string
		listener := AgentFunc(func(_ context.Context, t *Turn) error { seen = texts(t.Messages()); return nil })
		r := newRig(t, team(Sequential(), Participant{Name: "pair", Agent: fan}, Participant{Name: "then", Agent: listener}))
		s := r.say("x")
		must(t, s.err)
		equal(t, "replies", joined, []string{"a: a speaks", "b: b speaks", "c: c speaks"})
		want := map[OutputMode][2]string{
			OutputBoth:    {"x, c speaks, b speaks, a speaks, 3", "x, c speaks, b speaks, a speaks, 3"},
			OutputDirect:  {"x, c speaks, b speaks, a speaks, 3", "x, 3"},
			OutputHistory: {"x, a speaks, b speaks, c speaks, 3", "x, a speaks, b speaks, c speaks, 3"},
			OutputNone:    {"x, 3", "x, 3"},
		}[output]
		equal(t, string(output)+" shown", strings.Join(texts(r.messages), ", "), want[0])
		equal(t, string(output)+" seen by the next", strings.Join(seen, ", "), want[1])
		if output == OutputHistory {
			equal(t, "speaker", r.messages[1].Name, "a")
		}
	}
}

func TestRow23FanStepsHaveTheirOwnNamesAndIDs(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{Participants: backwards("a", "b")}
	r := newRig(t, team(Sequential(), Participant{Name: "pair", Agent: fan}))
	s := r.say("x")
	must(t, s.err)
	steps := s.steps()
	slices.Sort(steps)
	equal(t, "steps", steps, []string{"pair", "pair.a", "pair.b"})
	invocations, ids := map[string]bool{}, map[string]bool{}
	for _, m := range r.messages[1:] {
		invocations[m.SubagentRunID], ids[m.ID] = true, true
	}
	equal(t, "messages", []int{len(invocations), len(ids)}, []int{2, 2})
}

func TestRow84FanWaitsForTheSlowest(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{Participants: backwards("slow", "fast"), Join: func(_ context.Context, t *Turn, replies []Reply) error {
		return SayOnce(t, "joined", fmt.Sprintf("%s+%s", replies[0].Text(), replies[1].Text()))
	}}
	r := newRig(t, fan)
	must(t, r.say("x").err)
	equal(t, "history", texts(r.messages), []string{"x", "fast speaks", "slow speaks", "slow speaks+fast speaks"})
}

func TestRow83FanSelectsASubsetOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	fan := &Concurrent{
		Participants: []Participant{{Name: "a", Agent: sayer("a")}, {Name: "b", Agent: sayer("b")}, {Name: "c", Agent: asker("k")}},
		Select: func(_ context.Context, v View) ([]string, error) {
			asked++
			var names []string
			_, err := v.State.Get("/who", &names)
			return names, err
		},
	}
	r := newRig(t, team(Sequential(), Participant{Name: "fan", Agent: fan}))
	r.state = []byte(`{"who":["c","a"]}`)
	must(t, r.say("x").err)
	s := r.answer(map[string]string{"k": "1"})
	must(t, s.err)
	equal(t, "asked", asked, 1)
	equal(t, "history", texts(r.messages), []string{"x", "a", "1"})
	r.state = []byte(`{"who":["nobody"]}`)
	codeOf(t, r.say("x"), errcode.UnknownSpeaker)
	r.state = []byte(`{}`)
	must(t, r.say("x").err)
}

func TestRow48PausesOfAFanJoin(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{Participants: []Participant{
		{Name: "a", Agent: asker("one")}, {Name: "b", Agent: sayer("b")}, {Name: "c", Agent: asker("two")},
	}}
	r := newRig(t, team(Sequential(), Participant{Name: "fan", Agent: fan}))
	s := r.say("x")
	must(t, s.err)
	var asked []string
	for _, i := range r.open {
		asked = append(asked, where(i).Path+"."+where(i).Key)
	}
	equal(t, "one outcome lists all", asked, []string{"fan.a.one", "fan.c.two"})
	s = r.answer(map[string]string{"one": "1", "two": "2"})
	must(t, s.err)
	steps := s.steps()
	slices.Sort(steps)
	equal(t, "who had ended is not begun again", steps, []string{"fan", "fan.a", "fan.c"})
}

func TestG5AFansParticipantFailsForAllOrIsLeftOut(t *testing.T) {
	t.Parallel()
	fan := func(policy failure.Policy) *Concurrent {
		return &Concurrent{
			Participants: []Participant{
				{Name: "waits", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
					if policy.Skip {
						return SayOnce(t, "say", "fine")
					}
					<-ctx.Done() // the other one's failure
					return ctx.Err()
				})},
				{Name: "fails", Agent: failing(&errcode.Error{Code: errcode.ToolFailed}), OnError: policy},
				{Name: "asks", Agent: asker("k")},
			},
			Join: func(_ context.Context, t *Turn, replies []Reply) error {
				return SayOnce(t, "joined", fmt.Sprintf("%v %v", replies[0].Skipped, replies[1].Skipped))
			},
		}
	}
	r := newRig(t, team(Sequential(), Participant{Name: "fan", Agent: fan(failure.Policy{})}))
	s := r.say("x")
	codeOf(t, s, errcode.ToolFailed)
	codes := map[string]string{}
	names := map[string]string{}
	for _, e := range s.events {
		switch e := e.(type) {
		case *agui.SubagentStarted:
			names[e.SubagentRunID] = e.Name
		case *agui.SubagentError:
			codes[names[e.SubagentRunID]] = e.Code
		}
	}
	// Who asked was called off, or never got that far.
	equal(t, "codes", codes["waits"]+" "+codes["fails"]+" "+codes["fan"], "cancelled tool_failed tool_failed")
	r = newRig(t, team(Sequential(), Participant{Name: "fan", Agent: fan(failure.Policy{Skip: true})}))
	must(t, r.say("x").err)
	equal(t, "open", len(r.open), 1)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "joined", r.messages[len(r.messages)-1].Content.Text(), "false true")
}

func TestAFansWritesGoThroughTheReducers(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{}
	for i := range 20 {
		fan.Participants = append(fan.Participants, Participant{Name: fmt.Sprint("p", i), Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			return errors.Join(t.State().Set("/notes", i), t.State().Set("/plan", map[string]int{t.Path(): i}))
		})})
	}
	r := newRig(t, fan)
	r.reducers = document.Reducers{"/notes": document.Append, "/plan": document.Merge}
	must(t, r.say("x").err)
	var doc struct {
		Notes []int
		Plan  map[string]int
	}
	d, err := document.New(r.state, document.Options{})
	must(t, err)
	_, err = d.Get("", &doc)
	must(t, err)
	slices.Sort(doc.Notes)
	for i := range 20 {
		if doc.Notes[i] != i || doc.Plan[fmt.Sprint("p", i)] != i {
			t.Fatalf("state %s lacks %d", r.state, i)
		}
	}
}

func TestAFanOfTeamsIsATeam(t *testing.T) {
	t.Parallel()
	chat := team(Sequential(), Participant{Name: "in", Agent: described("a form")})
	fan := &Concurrent{Description: "both", Participants: []Participant{{Name: "a", Agent: chat}, {Name: "b", Agent: Sub(chat, SubOptions{})}}}
	in := []profile.Info{{Name: "in", Description: "a form"}}
	of := profile.Structure{Kind: profile.KindChat, Manager: "sequential", Supervisor: "supervisor"}
	equal(t, "description", fan.Describe(), profile.Info{
		Description: "both", Participants: []profile.Info{{Name: "a", Participants: in, Structure: of}, {Name: "b", Participants: in, Structure: of}},
		Structure: profile.Structure{Kind: profile.KindConcurrent},
	})
	equal(t, "signature", signatureOf(team(Sequential(), Participant{Name: "fan", Agent: fan})), signature{"fan", "fan.a", "fan.a.in", "fan.b", "fan.b.in"})
	equal(t, "mistakes", fan.Validate(), nil)
	for want, bad := range map[string]*Concurrent{
		"has no participants":             {},
		"unknown output \"odd\"":          {Participants: fan.Participants, Output: "odd"},
		`"a" is there twice`:              {Participants: []Participant{{Name: "a", Agent: chat}, {Name: "a", Agent: chat}}},
		"fan.a.in: has no participants":   {Participants: []Participant{{Name: "a", Agent: team(Sequential(), Participant{Name: "in", Agent: &Concurrent{}})}}},
		`fan.a: participant "sub" has no`: {Participants: []Participant{{Name: "a", Agent: Sub(nil, SubOptions{})}}},
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to contain %s", err, want)
		}
	}
	r := newRig(t, fan)
	r.root = &Concurrent{Participants: []Participant{{Name: "a", Agent: asker("k")}, {Name: "b", Agent: sayer("b")}}}
	must(t, r.say("x").err)
	r.root = &Concurrent{Participants: []Participant{{Name: "c", Agent: asker("k")}, {Name: "b", Agent: sayer("b")}}}
	codeOf(t, r.answer(map[string]string{"k": "1"}), errcode.CheckpointIncompatible)
}
