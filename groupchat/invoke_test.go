package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// both invokes agents by name, at once, and says their replies.
func both(o InvokeOptions, agents map[string]Agent, names ...string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		var list []Invocation
		for _, name := range names {
			list = append(list, Invocation{name, agents[name], o})
		}
		replies, err := t.InvokeAll(list...)
		if err != nil {
			return err
		}
		return SayOnce(t, "sum", fmt.Sprintf("%s+%s", replies[0].Text(), replies[1].Text()))
	})
}

func TestG4AnInvokedAgentIsAStepAndASubagent(t *testing.T) {
	t.Parallel()
	var ids []string
	inner := AgentFunc(func(_ context.Context, t *Turn) error {
		ids = append(ids, t.ID(), t.Path(), t.Instruction())
		return SayOnce(t, "say", "inner")
	})
	outer := AgentFunc(func(_ context.Context, t *Turn) error {
		for n := range 2 {
			reply, err := t.Invoke("help", inner, InvokeOptions{N: n + 1, Description: "helps", Instruction: fmt.Sprint("for the ", n)})
			if err != nil {
				return err
			}
			if err := SayOnce(t, fmt.Sprint("got", n), fmt.Sprintf("got:%s", reply.Text())); err != nil {
				return err
			}
		}
		return nil
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: outer}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "p { p.help { inner } p.help got:inner p.help@2 { inner } p.help@2 got:inner } p")
	equal(t, "turns", ids, []string{"1/p@1/help", "p.help", "for the 0", "1/p@1/help@2", "p.help@2", "for the 1"})
	equal(t, "name", r.messages[1].Name, "help")
	started := map[string]*agui.SubagentStarted{}
	for _, e := range s.events {
		if a, ok := e.(*agui.SubagentStarted); ok {
			started[a.Name] = a
		}
	}
	equal(t, "parent", started["help"].ParentSubagentRunID, started["p"].SubagentRunID)
	equal(t, "description", started["help"].Description, "helps")
}

func TestI5InvokedAgentsPauseAndResumeEachForItself(t *testing.T) {
	t.Parallel()
	agents := map[string]Agent{"a": asker("ka"), "b": asker("kb")}
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: both(InvokeOptions{}, agents, "a", "b")}))
	s := r.say("x")
	must(t, s.err)
	var asked []string
	for _, i := range r.open {
		asked = append(asked, where(i).Path+" "+where(i).Key)
	}
	equal(t, "questions", asked, []string{"p.a ka", "p.b kb"})
	var closed []string
	for _, e := range s.result.Closings {
		if end, ok := e.(*agui.StepFinished); ok {
			closed = append(closed, end.StepName)
		}
	}
	equal(t, "closings", closed, []string{"p.a", "p.b", "p"})
	announced := func(s *stream) map[string]string {
		m := map[string]string{}
		for _, e := range s.events {
			if a, ok := e.(*agui.SubagentStarted); ok {
				m[a.Name] = a.SubagentRunID
			}
		}
		return m
	}
	second := r.answer(map[string]string{"ka": "1", "kb": "2"})
	must(t, second.err)
	equal(t, "invocations", announced(second), announced(s))
	equal(t, "sum", r.messages[len(r.messages)-1].Content.Text(), "1+2")
}

func TestAnInvokedAgentThatEndedIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	runs := 0
	quick := AgentFunc(func(ctx context.Context, t *Turn) error { runs++; return sayer("quick").Run(ctx, t) })
	agents := map[string]Agent{"a": quick, "b": team(Sequential(), Participant{Name: "in", Agent: asker("k")})}
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: both(InvokeOptions{}, agents, "a", "b")}))
	must(t, r.say("x").err)
	s := r.answer(map[string]string{"k": "1"})
	must(t, s.err)
	equal(t, "runs", runs, 1)
	equal(t, "stream", s.shape(), "p { p.b { p.b.in { 1 } p.b.in } p.b quick+1 } p")
}

func TestInvokedAgentsDoNotHearEachOther(t *testing.T) {
	t.Parallel()
	var seen []string
	listen := AgentFunc(func(_ context.Context, t *Turn) error {
		if err := SayOnce(t, "say", "b speaks"); err != nil {
			return err
		}
		seen = texts(t.Messages())
		return nil
	})
	said := make(chan struct{})
	agents := map[string]Agent{
		"a": AgentFunc(func(ctx context.Context, t *Turn) error { defer close(said); return sayer("a speaks").Run(ctx, t) }),
		"b": AgentFunc(func(ctx context.Context, t *Turn) error { <-said; return listen.Run(ctx, t) }),
	}
	for what, test := range map[string]struct {
		o    InvokeOptions
		want []string
	}{
		"all":      {InvokeOptions{}, []string{"x", "host", "b speaks"}},
		"last":     {InvokeOptions{Context: Context{Last: true}}, []string{"host", "b speaks"}},
		"select":   {InvokeOptions{Context: Context{Select: func(v View) []Message { return v.History()[:1] }}}, []string{"x", "b speaks"}},
		"given":    {InvokeOptions{Messages: []Message{{ID: "q", Role: agui.RoleUser, Content: agui.TextContent("query")}}}, []string{"query", "b speaks"}},
		"isolated": {InvokeOptions{Messages: []Message{}}, []string{"b speaks"}},
	} {
		said = make(chan struct{})
		r := newRig(t, team(Sequential(), Participant{Name: "host", Agent: sayer("host")}, Participant{Name: "p", Agent: both(test.o, agents, "a", "b")}))
		must(t, r.say("x").err)
		equal(t, what, seen, test.want)
	}
}

func TestAnInvokedAgentIsShownNothingOfTheCallerButWhatItIsGiven(t *testing.T) {
	t.Parallel()
	leaf := AgentFunc(func(_ context.Context, t *Turn) error {
		last, ok := t.LastUser()
		return SayOnce(t, "say", fmt.Sprintf("%v %s %d", ok, last.Content.Text(), len(t.News())))
	})
	for want, given := range map[string][]Message{
		"false  0":     {},
		"true query 1": {{ID: "q", Role: agui.RoleUser, Content: agui.TextContent("query")}},
	} {
		r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
			_, err := t.Invoke("in", team(Sequential(), Participant{Name: "leaf", Agent: leaf}), InvokeOptions{Messages: given})
			return err
		}))
		must(t, r.say("secret").err)
		equal(t, "leaf", texts(r.messages)[1], want)
	}
}

func TestAnInvokedAgentsFailureIsItsPolicys(t *testing.T) {
	t.Parallel()
	tries := 0
	flaky := AgentFunc(func(_ context.Context, t *Turn) error {
		if tries++; tries < 3 {
			return errors.New("boom")
		}
		return SayOnce(t, "say", "fine")
	})
	invoking := func(o InvokeOptions) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			tries = 0
			reply, err := t.Invoke("in", flaky, o)
			if err != nil {
				return err
			}
			return SayOnce(t, "say", fmt.Sprintf("%v:%s", reply.Skipped, reply.Text()))
		})
	}
	bad := "in { error agent_failed } in "
	for _, test := range []struct {
		policy failure.Policy
		want   string
		code   errcode.Code
	}{
		{failure.Policy{}, strings.TrimSpace(bad), errcode.AgentFailed},
		{failure.Policy{Retries: 2}, bad + bad + "in { fine } in false:fine", ""},
		{failure.Policy{Skip: true}, bad + "true:", ""},
	} {
		s := newRig(t, invoking(InvokeOptions{OnError: test.policy})).say("x")
		codeOf(t, s, test.code)
		equal(t, "stream", s.shape(), test.want)
	}
}

func TestAnInvokedAgentHasAStateOfItsOwn(t *testing.T) {
	t.Parallel()
	inner := AgentFunc(func(ctx context.Context, t *Turn) error {
		if err := t.State().Set("/secret", true); err != nil {
			return err
		}
		if err := asker("k").Run(ctx, t); err != nil {
			return err
		}
		raw, _ := t.State().Raw("/secret")
		return SayOnce(t, "kept", string(raw))
	})
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Invoke("in", inner, InvokeOptions{Scope: Scoping{Kind: ScopeIsolated}})
		return err
	}))
	must(t, r.say("x").err)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "words", texts(r.messages), []string{"x", "1", "true"})
	equal(t, "state", string(r.state), "{}")
}

func TestInvocationsHaveABudgetAndADepth(t *testing.T) {
	t.Parallel()
	var self Agent
	self = AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Invoke("me", self, InvokeOptions{OnError: failure.Policy{Retries: 3, Skip: true}})
		return err
	})
	r := newRig(t, self)
	s := r.say("x")
	codeOf(t, s, errcode.NotConverged)
	equal(t, "deep", len(s.steps()), maxDepth)
	many := AgentFunc(func(_ context.Context, t *Turn) error {
		for n := range 100 {
			if _, err := t.Invoke("one", sayer("x"), InvokeOptions{N: n + 1}); err != nil {
				return err
			}
		}
		return nil
	})
	r = newRig(t, team(Sequential(), Participant{Name: "p", Agent: many}))
	r.maxTurns = 10
	s = r.say("x")
	codeOf(t, s, errcode.BudgetExceeded)
	equal(t, "turns", len(s.steps()), 10)
}

func TestInvocationsThatCannotBe(t *testing.T) {
	t.Parallel()
	for what, do := range map[string]func(t *Turn) error{
		"no name":  func(t *Turn) error { _, err := t.Invoke("", sayer("a"), InvokeOptions{}); return err },
		"bad name": func(t *Turn) error { _, err := t.Invoke("a.b", sayer("a"), InvokeOptions{}); return err },
		"no agent": func(t *Turn) error { _, err := t.Invoke("a", nil, InvokeOptions{}); return err },
		"twice": func(t *Turn) error {
			_, err := t.Invoke("a", sayer("a"), InvokeOptions{})
			_, again := t.Invoke("a", sayer("a"), InvokeOptions{N: 1})
			return errors.Join(err, again)
		},
	} {
		s := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { return do(t) })).say("x")
		if s.err == nil || errcode.Of(s.err) != errcode.AgentFailed {
			t.Errorf("%s: ended with %v", what, s.err)
		}
	}
}

func TestNothingIsCommittedInTheMiddleOfAnothersTurn(t *testing.T) {
	t.Parallel()
	begun, committed := make(chan struct{}), make(chan struct{})
	chatty := team(Sequential(), Participant{Name: "one", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
		<-begun
		return sayer("one").Run(ctx, t)
	})}, Participant{Name: "two", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
		defer close(committed) // the boundary after one is behind us
		return sayer("two").Run(ctx, t)
	})})
	slow := AgentFunc(func(ctx context.Context, t *Turn) error {
		text := t.Text()
		_, err := text.WriteString("half")
		close(begun)
		<-committed
		_, rest := text.WriteString(" done")
		return errors.Join(err, rest, text.Close())
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: both(InvokeOptions{}, map[string]Agent{"chat": chatty, "slow": slow}, "chat", "slow")}))
	must(t, r.say("x").err)
	if len(r.commits) == 0 {
		t.Fatal("nothing was committed")
	}
	for _, c := range r.commits {
		if slices.Contains(texts(c.messages), "half") {
			t.Errorf("committed in the middle of a turn: %q", texts(c.messages))
		}
	}
}

func TestATakeoverGoesOnAfterTheChildrenThatEnded(t *testing.T) {
	t.Parallel()
	runs := map[string]int{}
	counted := func(name string) Agent {
		return AgentFunc(func(ctx context.Context, t *Turn) error { runs[name]++; return sayer(name).Run(ctx, t) })
	}
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
		for _, name := range []string{"a", "b"} {
			if _, err := t.Invoke(name, counted(name), InvokeOptions{}); err != nil {
				return err
			}
		}
		return nil
	})}))
	must(t, r.say("x").err)
	equal(t, "commits", len(r.commits), 3)
	r.messages, r.state = r.commits[0].messages, r.commits[0].state
	s := r.run(Session{Checkpoint: r.commits[0].checkpoint, Takeover: true})
	must(t, s.err)
	equal(t, "stream", s.shape(), "p { p.b { b } p.b } p")
	equal(t, "runs", runs, map[string]int{"a": 1, "b": 2})
	equal(t, "history", texts(r.messages), []string{"x", "a", "b"})
}

func TestTheFramesOfInvokedAgentsArePlainJSON(t *testing.T) {
	t.Parallel()
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		if _, err := t.Invoke("a", sayer("a"), InvokeOptions{}); err != nil {
			return err
		}
		_, err := t.Invoke("b", asker("k"), InvokeOptions{N: 2})
		return err
	}))
	must(t, r.say("x").err)
	var c struct{ Root map[string]json.RawMessage }
	must(t, json.Unmarshal(r.checkpoint, &c))
	equal(t, "children", string(c.Root["children"]), `{"a":{"id":"1/a","speaker":"a","after":"u1","past":["sub_2"],"done":true},`+
		`"b@2":{"id":"1/b@2","speaker":"b","form":"custom","subagentRunId":"sub_4","begun":true,"after":"3","acted":true,"asks":{"k":"int_5"},`+
		`"asked":{"k":"f5e1c20792c0017d"}}}`)
}
