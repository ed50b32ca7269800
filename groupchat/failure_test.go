package groupchat

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state/document"
)

func failing(err error) Agent {
	return AgentFunc(func(context.Context, *Turn) error { return err })
}

func TestRow110AFailureKeepsItsCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want errcode.Code
	}{
		{errors.New("boom"), errcode.AgentFailed},
		{&errcode.Error{Code: errcode.ModelAuth}, errcode.ModelAuth},
		{errors.Join(errors.New("a"), &errcode.Error{Code: errcode.ToolFailed}), errcode.ToolFailed},
		{context.Canceled, errcode.AgentFailed}, // its own, not the run's
		{run.ErrEventTooLarge, errcode.TooLarge},
		{document.ErrTooLarge, errcode.TooLarge},
		{&agui.FieldError{}, errcode.AgentFailed}, // a peer's bad JSON is no fault of the caller's
	}
	for _, test := range tests {
		codeOf(t, newRig(t, failing(test.err)).say("x"), test.want)
		s := newRig(t, nested(2, failing(test.err))).say("x")
		codeOf(t, s, test.want)
		if want := "error " + string(test.want) + " } level2.leaf error " + string(test.want) + " } level2"; !strings.HasSuffix(s.shape(), want) {
			t.Errorf("%v: stream %q, want it to end %q", test.err, s.shape(), want)
		}
	}
}

func TestAPanicIsAFailureWhereverItHappens(t *testing.T) {
	t.Parallel()
	boom := AgentFunc(func(context.Context, *Turn) error { panic("boom") })
	spawned := AgentFunc(func(ctx context.Context, t *Turn) error {
		t.Go(func() error { panic("boom") })
		<-ctx.Done() // it hears of its other half's end
		return ctx.Err()
	})
	leaf := Participant{Name: "a", Agent: sayer("a")}
	bad := map[string]Agent{
		"agent": boom, "goroutine": spawned, "nested": nested(3, boom),
		"manager": team(func() Manager { return managerFunc(func(context.Context, View) (Decision, error) { panic("boom") }) }, leaf),
		"act": team(func() Manager {
			return managerFunc(func(context.Context, View) (Decision, error) {
				return Decision{Done: true, Act: func(context.Context, *Turn) error { panic("boom") }}, nil
			})
		}, leaf),
		"until":      &Chat{Manager: Sequential(), Participants: []Participant{leaf}, Until: func(View) bool { panic("boom") }},
		"middleware": &Chat{Manager: Sequential(), Participants: []Participant{leaf}, Middleware: []func(Agent) Agent{func(Agent) Agent { panic("boom") }}},
		"context": team(Sequential(), Participant{Name: "a", Agent: AgentFunc(func(_ context.Context, t *Turn) error { t.Messages(); return nil }),
			Context: Context{Select: func(View) []Message { panic("boom") }}}),
	}
	for name, root := range bad {
		for _, root := range []Agent{root, team(Sequential(), Participant{Name: "in", Agent: root})} {
			s := newRig(t, root).say("x")
			codeOf(t, s, errcode.AgentFailed)
			if p, ok := errors.AsType[*failure.Panic](s.err); !ok || p.Value != "boom" || len(p.Stack) == 0 {
				t.Errorf("%s: error = %v, want the panic", name, s.err)
			}
			for _, e := range s.events {
				if strings.Contains(line(e), "boom") {
					t.Errorf("%s: sent %s", name, line(e)) // X3
				}
			}
		}
		// And a participant that may fail does not end the run.
		r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: root, OnError: failure.Policy{Retries: 1, Skip: true}},
			Participant{Name: "b", Agent: sayer("b")}))
		s := r.say("x")
		must(t, s.err)
		equal(t, name, r.messages[len(r.messages)-1].Content.Text(), "b")
	}
}

func TestG5RetryIsTheSameTurnUnderANewInvocation(t *testing.T) {
	t.Parallel()
	tries := 0
	flaky := AgentFunc(func(_ context.Context, t *Turn) error {
		if err := SayOnce(t, "hello", "hello"); err != nil {
			return err
		}
		if _, err := t.Text().WriteString("half"); err != nil {
			return err
		}
		t.out.ToolCall(run.ToolCallOptions{Name: "lookup"})
		if tries++; tries < 3 {
			return errors.New("boom")
		}
		return nil
	})
	var log bytes.Buffer
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: flaky, OnError: failure.Policy{Retries: 2}}))
	r.messages = []Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("x")}}
	s := r.run(Session{Log: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, s.err)
	again := "result not answered error agent_failed } p"
	equal(t, "stream", s.shape(), "p { hello half call lookup "+again+" p { half call lookup "+again+" p { half call lookup } p")
	invocations := map[string]bool{}
	for _, e := range s.events {
		if a, ok := e.(*agui.SubagentStarted); ok {
			invocations[a.SubagentRunID] = true
		}
	}
	equal(t, "invocations", len(invocations), 3)
	equal(t, "commits", len(r.commits), 1)
	if got := strings.Count(log.String(), "boom"); got != 2 {
		t.Errorf("the log tells of %d causes, want 2: %s", got, &log)
	}
}

func TestG5SkipCountsARoundAndTellsTheManager(t *testing.T) {
	t.Parallel()
	chat := team(Rules(Done, Rule{missing("/a"), "bad"}, Rule{missing("/b"), "good"}),
		Participant{Name: "bad", Agent: failing(errors.New("boom")), OnError: failure.Policy{Skip: true}},
		Participant{Name: "good", Agent: AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/b", 1) })})
	r := newRig(t, chat)
	s := r.say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "bad { error agent_failed } bad good { state } good")
	equal(t, "no note joins the conversation", texts(r.messages), []string{"x"})
	chat.MaxRounds = 1
	equal(t, "a skipped turn is a round", newRig(t, chat).say("x").shape(), "bad { error agent_failed } bad")
	// A default that failed is not asked for ever.
	only := team(Rules("bad"), chat.Participants[0])
	equal(t, "stream", newRig(t, only).say("x").shape(), "bad { error agent_failed } bad")
}

// TestASkippedTurnIsNotTheIdleOnes lets somebody do nothing, another fail and be skipped, and the first be chosen
// again: who did nothing last is not known any more, and the failure may have changed what there is to do. Whom the one
// that failed named counts for nothing.
func TestASkippedTurnIsNotTheIdleOnes(t *testing.T) {
	t.Parallel()
	turns := 0
	first := AgentFunc(func(_ context.Context, t *Turn) error {
		if turns++; turns == 1 {
			return nil
		}
		return SayOnce(t, "say", "Now.")
	})
	bad := AgentFunc(func(_ context.Context, t *Turn) error { t.Goto("first"); return errors.New("boom") })
	var seen []View
	order := []string{"first", "bad", "first"}
	manager := managerFunc(func(_ context.Context, v View) (Decision, error) {
		seen = append(seen, v)
		if v.Round == len(order) {
			return Decision{Done: true}, nil
		}
		return Decision{Speaker: order[v.Round]}, nil
	})
	s := newRig(t, team(func() Manager { return manager }, Participant{Name: "first", Agent: first},
		Participant{Name: "bad", Agent: bad, OnError: failure.Policy{Skip: true}})).say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "first { } first bad { error agent_failed } bad first { Now. } first")
	equal(t, "idle after nothing", seen[1].Idle, "first")
	equal(t, "idle after the failure", seen[2].Idle, "")
	equal(t, "named by the one that failed", seen[2].Goto, "")
}

func TestASkippedTurnsFrontendCallIsNotLeftOpen(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		if _, err := t.CallTool("k", "map", map[string]int{"zoom": 3}); err == nil {
			return errors.New("answered too early")
		}
		return errors.New("boom")
	})
	s := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent, OnError: failure.Policy{Retries: 1, Skip: true}})).say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "p { call map error agent_failed } p p { result not answered error agent_failed } p")
	end := s.events[len(s.events)-1].(*agui.RunFinished)
	equal(t, "pending", end.Outcome.PendingToolCallIDs, nil)
}

func TestAFailureEndsWhatWaitsBelowIt(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "q", Agent: asker("k")})
	tries := 0
	agent := AgentFunc(func(ctx context.Context, t *Turn) error {
		err := inner.Run(ctx, t)
		if tries++; tries == 1 {
			return errors.New("boom")
		}
		if tries == 2 {
			return nil // nor does somebody who forgets the question leave it hanging
		}
		return err
	})
	p := Participant{Name: "p", Agent: agent, OnError: failure.Policy{Retries: 1}}
	r := newRig(t, team(Sequential(), p))
	s := r.say("x")
	codeOf(t, s, errcode.AgentFailed)
	again := "p { p.q { error agent_failed } p.q error agent_failed } p"
	equal(t, "stream", s.shape(), again+" "+again)
}

func TestACancelledRunIsNobodysFailure(t *testing.T) {
	t.Parallel()
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	agent := AgentFunc(func(ctx context.Context, t *Turn) error {
		cancel(stop)
		<-ctx.Done()
		return ctx.Err()
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent, OnError: failure.Policy{Retries: 3, Skip: true}}))
	r.ctx = ctx
	s := r.say("x")
	if !errors.Is(s.err, stop) {
		t.Errorf("run ended with %v, want the cause of its end", s.err)
	}
	equal(t, "stream", s.shape(), "p {")
	equal(t, "commits", len(r.commits), 0)
}

func TestSleepAndPaceHearTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		agent := AgentFunc(func(_ context.Context, t *Turn) error {
			if err := t.Sleep(2 * time.Second); err != nil {
				return err
			}
			return SayOnce(t, "say", "one two three")
		})
		r := newRig(t, agent)
		r.ctx = ctx
		began := time.Now()
		r.messages = []Message{{ID: "u", Role: agui.RoleUser}}
		s := r.run(Session{Pace: 2 * time.Second})
		if !errors.Is(s.err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second {
			t.Errorf("ended with %v after %v", s.err, time.Since(began))
		}
		equal(t, "stream", s.shape(), "one  two")
	})
}

func TestAStoreThatFailsPassesNoPolicy(t *testing.T) {
	t.Parallel()
	lenient := failure.Policy{Retries: 5, Skip: true}
	inner := team(Sequential(), Participant{Name: "a", Agent: sayer("a")})
	r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: inner, OnError: lenient}, Participant{Name: "b", Agent: sayer("b")}))
	r.failAt = 1
	s := r.say("x")
	if !errors.Is(s.err, errStore) {
		t.Errorf("ended with %v, want the store's error", s.err)
	}
	equal(t, "steps", s.steps(), []string{"in", "in.a"})
	var went atomic.Bool
	deaf := AgentFunc(func(_ context.Context, t *Turn) error {
		_, _ = Once(t, "k", func() (int, error) { return 1, nil })
		went.Store(true)
		return nil
	})
	r = newRig(t, team(Sequential(), Participant{Name: "p", Agent: deaf, OnError: lenient}))
	r.onceErr = errStore
	if s := r.say("x"); !errors.Is(s.err, errStore) || !went.Load() {
		t.Errorf("ended with %v, want the store's error", s.err)
	}
}

func TestRow89TheBudgetOfTheWholeRun(t *testing.T) {
	t.Parallel()
	inner := team(RoundRobin(), Participant{Name: "a", Agent: sayer("a")})
	r := newRig(t, team(RoundRobin(), Participant{Name: "in", Agent: inner, OnError: failure.Policy{Retries: 3, Skip: true}}))
	r.maxTurns = 60
	s := r.say("x")
	codeOf(t, s, errcode.BudgetExceeded)
	equal(t, "turns", len(s.steps()), 60)
}

func TestATryThatFailsBeforeItIsAnnouncedIsCounted(t *testing.T) {
	t.Parallel()
	// The scope does not fit the state: the turn cannot even begin.
	spoil := AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/notes", "text") })
	out := Participant{Name: "w", Agent: AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/result", 1) }),
		Scope:   Scoping{Kind: ScopeMapped, Mapping: document.Mapping{Out: map[string]string{"/result": "/notes/deep"}}},
		OnError: failure.Policy{Retries: 2}}
	s := newRig(t, team(Sequential(), Participant{Name: "spoil", Agent: spoil}, out)).say("x")
	codeOf(t, s, errcode.AgentFailed)
	equal(t, "steps", s.steps(), []string{"spoil", "w", "w", "w"})

	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: asker("k"), OnError: failure.Policy{Retries: 2}}))
	must(t, r.say("x").err)
	// A second invocation under one id is refused by the order of the stream, however often it is tried.
	twice := strings.Replace(string(r.checkpoint), `"chat":{`, `"subagentRunId":"gone","chat":{`, 1)
	r.checkpoint = []byte(twice)
	if s := r.answer(map[string]string{"k": "1"}); s.err == nil {
		t.Error("a turn below an invocation that was never announced went well")
	}
}
