package groupchat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// TestRow50RandomTeams runs random teams up to five deep, with members that speak, change state, ask, call tools, fail
// and panic. Whatever they do, every stream keeps to the protocol's order and every pause replays to itself, which the
// rig checks; every answer reaches its asker; and every failure has a code.
func TestRow50RandomTeams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, drawChat(rt, 1))
		r.maxTurns = 60
		s := r.say("go")
		for range 30 {
			if t.Failed() {
				rt.Fatal("the rig found fault with the stream")
			}
			if s.err != nil {
				if code := errcode.Of(s.err); code != errcode.AgentFailed && code != errcode.NoProgress && code != errcode.BudgetExceeded {
					rt.Fatalf("ended with %v", s.err)
				}
				return
			}
			if r.checkpoint == nil {
				return
			}
			s = answerAll(r)
		}
	})
}

// answerAll resumes with an answer to everything: each question gets its own path and key.
func answerAll(r *rig) *stream {
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{}, Results: map[string]agui.Content{}}
	for _, i := range r.open {
		w := where(i)
		s.Answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: state.Canonical(fmt.Appendf(nil, "%q", w.Path+":"+w.Key))}
	}
	for _, c := range r.calls {
		s.Results[c.ID] = agui.TextContent(c.ID)
		r.messages = append(r.messages, Message{ID: "t" + r.newID(), Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent(c.ID)})
	}
	return r.run(s)
}

func drawChat(rt *rapid.T, depth int) *Chat {
	c := &Chat{
		Manager:   rapid.SampledFrom([]func() Manager{RoundRobin(), Sequential()}).Draw(rt, "manager"),
		MaxRounds: rapid.IntRange(1, 4).Draw(rt, "rounds"),
		Closing:   rapid.SampledFrom([]string{"", "Enough."}).Draw(rt, "closing"),
	}
	for i := range rapid.IntRange(1, 3).Draw(rt, "participants") {
		p := Participant{
			Name:    fmt.Sprint("p", i),
			Scope:   Scoping{Kind: rapid.SampledFrom([]ScopeKind{ScopeShared, ScopeIsolated, ScopeMapped}).Draw(rt, "scope")},
			OnError: failure.Policy{Backoff: -1, Retries: rapid.IntRange(0, 1).Draw(rt, "retries"), Skip: rapid.Bool().Draw(rt, "skip")},
			Context: Context{Last: rapid.Bool().Draw(rt, "last")},
		}
		if p.Scope.Kind == ScopeMapped {
			p.Scope.Mapping = document.Mapping{In: map[string]string{"in": "/out"}, Out: map[string]string{"/out": "/out"}}
		}
		p.Agent = drawAgent(rt, depth)
		c.Participants = append(c.Participants, p)
	}
	return c
}

func drawAgent(rt *rapid.T, depth int) Agent {
	kind := rapid.IntRange(0, 8).Draw(rt, "kind")
	output := rapid.SampledFrom([]OutputMode{OutputBoth, OutputDirect, OutputHistory, OutputNone})
	switch {
	case depth == 5 || kind > 4:
		return deeds(drawDeeds(rt, 0))
	case kind == 3:
		o := SubOptions{Output: output.Draw(rt, "output"), State: Scoping{Kind: ScopeIsolated}}
		if rapid.Bool().Draw(rt, "inputs") {
			o.Inputs = map[string]func(View) (any, error){"in": FromState("/out")}
		}
		return Sub(drawChat(rt, depth+1), o)
	case kind == 4:
		fan := &Concurrent{Output: output.Draw(rt, "output")}
		for i := range rapid.IntRange(1, 3).Draw(rt, "wide") {
			fan.Participants = append(fan.Participants, Participant{
				Name: fmt.Sprint("f", i), Agent: drawAgent(rt, depth+1), OnError: failure.Policy{Skip: rapid.Bool().Draw(rt, "skip")},
			})
		}
		return fan
	default:
		return drawChat(rt, depth+1)
	}
}

// A deed is one thing an agent does; some are done by agents that it invokes.
type deed struct {
	kind  int
	below [][]deed
	o     InvokeOptions
}

func drawDeeds(rt *rapid.T, depth int) []deed {
	var list []deed
	for range rapid.IntRange(0, 4-depth).Draw(rt, "deeds") {
		d := deed{kind: rapid.IntRange(0, 10-2*(depth/2)).Draw(rt, "deed")}
		if d.kind > 8 {
			for range rapid.IntRange(1, 3).Draw(rt, "invoked") {
				d.below = append(d.below, drawDeeds(rt, depth+1))
			}
			d.o.Scope.Kind = rapid.SampledFrom([]ScopeKind{ScopeShared, ScopeIsolated}).Draw(rt, "scope")
			d.o.OnError = failure.Policy{Backoff: -1, Retries: rapid.IntRange(0, 1).Draw(rt, "retries"), Skip: rapid.Bool().Draw(rt, "skip")}
			d.o.Context.Last = rapid.Bool().Draw(rt, "last")
			d.o.Output = rapid.SampledFrom([]OutputMode{OutputBoth, OutputBoth, OutputDirect, OutputHistory, OutputNone}).Draw(rt, "output")
		}
		list = append(list, d)
	}
	return list
}

// deeds is an agent that does a few things, those that are not idempotent once.
func deeds(list []deed) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		for i, d := range list {
			if err := do(t, d, fmt.Sprint("k", i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// invoke lets others work: one after another, at once, or each in a separate goroutine.
func invoke(t *Turn, d deed, key string) error {
	var err error
	replies := make([]Reply, len(d.below))
	var all []Invocation
	for i, below := range d.below {
		o := d.o
		o.N = i + 1
		one := Invocation{key, deeds(below), o}
		all = append(all, one)
		work := func() (err error) { replies[i], err = t.Invoke(one.Name, one.Agent, one.InvokeOptions); return err }
		switch {
		case d.kind == 9:
			t.Go(work)
		case d.kind == 10 && d.o.Context.Last:
			if err = work(); err != nil {
				return err
			}
		}
	}
	if d.kind == 10 && !d.o.Context.Last {
		if replies, err = t.InvokeAll(all...); err != nil {
			return err
		}
	}
	t.wg.Wait()
	for i, r := range replies {
		for _, m := range r.Messages {
			path := t.Path() + "." + key
			if i > 0 {
				path += fmt.Sprint("@", i+1)
			}
			if text := m.Content.Text(); m.Role == agui.RoleAssistant && text != "left open" && text != "" && text != "aside" && !strings.HasPrefix(text, path) {
				return &errcode.Error{Code: errcode.Internal, Err: fmt.Errorf("%s is said to have said %q", path, text)}
			}
		}
	}
	return nil
}

// pointer is where t writes name. Of agents at work at the same time each has its own place: one that waits writes
// again what it wrote before it asked, which would undo what another has written there since.
func pointer(t *Turn, name string) string {
	if t.owned {
		name += t.ID()
	}
	return document.Pointer(name)
}

func do(t *Turn, d deed, key string) error {
	switch d.kind {
	case 0, 1:
		return SayOnce(t, key, t.Path())
	case 2:
		return t.State().Set(pointer(t, "out"), t.ID())
	case 3, 4:
		a, err := t.AskAll(Question{Key: key}, Question{Key: key + "b"})
		if err != nil {
			return err
		}
		for i, suffix := range []string{"", "b"} {
			if want := fmt.Sprintf("%q", t.Path()+":"+key+suffix); string(a[i].Payload) != want {
				return &errcode.Error{Code: errcode.Internal, Err: fmt.Errorf("%s was answered %s", want, a[i].Payload)}
			}
		}
		return nil
	case 5:
		_, err := t.CallTool(key, "tool", map[string]string{"path": t.Path()})
		return err
	case 6:
		_, err := t.Text().WriteString("left open") // and said again in a replay, so only before a failure
		return errors.Join(err, errors.New("boom"))
	case 7:
		t.Go(func() error { return SayOnce(t, key, "aside") })
		t.Go(func() error { return t.State().Set(pointer(t, "aside"+key), key) })
		return nil
	case 8:
		panic("boom")
	default:
		return invoke(t, d, key)
	}
}

// TestRow108ATakeoverFromAnyCommitComesToTheSame takes random teams over from each of their commits. Whatever was said
// and committed is not said again, and all the rest is: the conversation and the state come to the same. Agents at work
// at the same time end in any order, so the messages are compared, not their times.
func TestRow108ATakeoverFromAnyCommitComesToTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, drawTeamThatEnds(rt, 1))
		if s := r.say("go"); s.err != nil {
			rt.Fatalf("ended with %v", s.err)
		}
		said, doc := slices.Sorted(slices.Values(texts(r.messages))), string(r.state)
		for i, c := range slices.Clone(r.commits) {
			r.messages, r.state = c.messages, c.state
			if s := r.run(Session{Checkpoint: c.checkpoint, Takeover: true}); s.err != nil {
				rt.Fatalf("taken over from commit %d: ended with %v", i, s.err)
			}
			if again := slices.Sorted(slices.Values(texts(r.messages))); !slices.Equal(again, said) || string(r.state) != doc {
				rt.Fatalf("taken over from commit %d: %q in %s, want %q in %s", i, again, r.state, said, doc)
			}
		}
	})
}

// drawTeamThatEnds draws a team that neither asks nor fails, with last words that are always the same.
func drawTeamThatEnds(rt *rapid.T, depth int) Agent {
	list := func() []deed {
		var deeds []deed
		for range rapid.IntRange(1, 3).Draw(rt, "deeds") {
			deeds = append(deeds, deed{kind: rapid.SampledFrom([]int{0, 2}).Draw(rt, "deed")})
		}
		return append(deeds, deed{kind: 0})
	}
	var people []Participant
	for i := range rapid.IntRange(1, 3).Draw(rt, "participants") {
		p := Participant{Name: fmt.Sprint("p", i), Agent: deeds(list())}
		switch kind := rapid.IntRange(0, 4).Draw(rt, "kind"); {
		case kind == 0:
			p.Agent = deeds([]deed{{kind: 0}, {kind: rapid.IntRange(9, 10).Draw(rt, "at once"), below: [][]deed{list(), list()}}, {kind: 0}})
		case kind < 4 && depth < 4:
			p.Agent = drawTeamThatEnds(rt, depth+1)
		}
		people = append(people, p)
	}
	switch rapid.IntRange(0, 3).Draw(rt, "team") {
	case 0:
		last := func(_ context.Context, t *Turn, _ []Reply) error { return SayOnce(t, "last", t.Path()) }
		return &Concurrent{Participants: people, Join: last, Output: rapid.SampledFrom([]OutputMode{OutputBoth, OutputHistory}).Draw(rt, "output")}
	case 1:
		return Sub(team(Sequential(), people...), SubOptions{Output: rapid.SampledFrom([]OutputMode{OutputBoth, OutputHistory}).Draw(rt, "output")})
	default:
		return team(Sequential(), people...)
	}
}
