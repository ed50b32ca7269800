package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// TestRetryAsksTheModelAgain lets a model fail by its reply: asked again it may reply something else, and its request
// omits the failed reply. The effects of its tools stay.
func TestRetryAsksTheModelAgain(t *testing.T) {
	t.Parallel()
	no, yes := says("no JSON"), says(`{"n":1}`)
	number := json.RawMessage(`{"type":"object","required":["n"]}`)
	step := calls("f", `{}`)
	tests := []struct {
		name    string
		scripts []script
		agent   LLM
		called  int
		last    string // how the request ends in which the retry begins
	}{
		{"model_response", []script{no, no, no, yes}, LLM{Output: &LLMOutput{Schema: number}}, 0, "| u:go"},
		{"model_response after a tool", []script{step, no, no, no, yes}, LLM{Output: &LLMOutput{Schema: number}}, 1, "| u:go | a: f{} | t:f done"},
		{"model_response around a tool", []script{no, step, no, no, step, yes}, LLM{Output: &LLMOutput{Schema: number}}, 2, "| u:go | a: f{} | t:f done"},
		{"a refusal", []script{{Body: chunk(`"refusal":"No."`) + "\n" + finish("stop")}, yes}, LLM{Output: &LLMOutput{Schema: number}}, 0, "| u:go"},
		{"not_converged", []script{step, step, step, step, says("Done.")}, LLM{MaxSteps: 2}, 3, "| u:go | a: f{} | t:f done | a: f{} | t:f done"},
		{"not_converged at once", []script{step, step, step, step, step, says("Done.")}, LLM{MaxSteps: 2}, 4, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m, c := newMind(t, tt.scripts...), &counted{}
				agent := tt.agent
				agent.Model, agent.Tools = m.model(), []Tool{c.tool("f")}
				r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &agent, OnError: failure.Policy{Retries: 1}}))
				s := r.say("go")
				must(t, s.err)
				equal(t, "tries", len(s.steps()), 2)
				equal(t, "asked", len(m.asked), len(tt.scripts))
				equal(t, "called", len(c.called()), tt.called)
				found := tt.last == ""
				for _, q := range m.requests() {
					found = found || strings.HasSuffix(q, tt.last)
				}
				if again := m.requests()[len(m.asked)-1]; !found || strings.Contains(again, "no JSON") || strings.Contains(again, state.NotAnswered) {
					t.Errorf("asked again: %s", again)
				}
			})
		})
	}
}

// TestRetriesEnd gives each retry of a turn that does not converge as many rounds as the first try had, and no more.
func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, c := newMind(t, calls("f", `{}`)), &counted{}
		agent := &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, MaxSteps: 3}
		s := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: agent, OnError: failure.Policy{Retries: 2}})).say("go")
		codeOf(t, s, errcode.NotConverged)
		equal(t, "called", len(c.called()), 9)
		equal(t, "asked", len(m.asked), 12)
	})
}

// TestARetriedTurnIsTakenOver dies in the middle of a retry. The next owner finds all replies where they were recorded,
// makes the same way again and asks the model nothing twice.
func TestARetriedTurnIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		no := says("no JSON")
		m, c := newMind(t, calls("f", `{}`), no, no, no, calls("g", `{}`), says(`{"n":1}`)), &counted{}
		dies := c.tool("g")
		ctx, kill := context.WithCancelCause(context.Background())
		dies.Call = func(_ context.Context, call ToolCall) (tools.Result, error) { kill(errDied); return c.call(ctx, call) }
		agent := &LLM{Model: m.model(), Tools: []Tool{c.tool("f"), dies}, Output: &LLMOutput{Schema: json.RawMessage(`{"required":["n"]}`)}}
		r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: agent, OnError: failure.Policy{Retries: 1}}))
		r.ctx = ctx
		if s := r.say("go"); !errors.Is(s.err, errDied) {
			t.Fatalf("ended with %v", s.err)
		}
		r.ctx = context.Background()
		s := r.run(Session{Memo: maps.Clone(r.onces), Takeover: true})
		must(t, s.err)
		equal(t, "asked", len(m.asked), 6)
		equal(t, "called", sorted(c.called()), "f{} g{} g{}")
		equal(t, "said", spoken(r.messages), []string{`{"n":1}`})
	})
}

// TestRetriesAreForWhatMayPass repeats no turn after a failure that will be the same the next time.
func TestRetriesAreForWhatMayPass(t *testing.T) {
	t.Parallel()
	fails := func(err error) Agent { return failing(err) }
	for name, tt := range map[string]struct {
		agent Agent
		again bool
	}{
		"an error":                              {fails(errors.New("boom")), true},
		"a model that is away":                  {fails(&errcode.Error{Code: errcode.ModelUnavailable}), true},
		"a tool":                                {fails(&errcode.Error{Code: errcode.ToolFailed}), true},
		"a remote":                              {fails(&errcode.Error{Code: errcode.RemoteFailed}), true},
		"its own deadline":                      {fails(context.DeadlineExceeded), true},
		"a remote loop":                         {fails(&errcode.Error{Code: errcode.RemoteLoop}), false},
		"credentials":                           {fails(&errcode.Error{Code: errcode.ModelAuth}), false},
		"a wrong request":                       {fails(&errcode.Error{Code: errcode.ModelRequest}), false},
		"forbidden":                             {fails(&errcode.Error{Code: errcode.Forbidden}), false},
		"too large":                             {fails(document.ErrTooLarge), false},
		"a defect":                              {fails(&errcode.Error{Code: errcode.Internal}), false},
		"a panic":                               {AgentFunc(func(context.Context, *Turn) error { panic("boom") }), false},
		"a panic further in":                    {nested(2, AgentFunc(func(context.Context, *Turn) error { panic("boom") })), false},
		"one of two":                            {fails(errors.Join(errors.New("boom"), &errcode.Error{Code: errcode.ModelAuth})), false},
		"a model's server that refuses the key": {&LLM{Model: newMind(t, script{Status: 401}).model()}, false},
		"a model's server that refuses the request": {&LLM{Model: newMind(t, script{Status: 400}).model()}, false},
		"a model's server that is busy":             {&LLM{Model: newMind(t, script{Status: 503}).model()}, true},
		"a write that is forbidden": {AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Restrict("/mine").Set("/yours", 1) }),
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				counts := func(a Agent) Agent {
					return AgentFunc(func(ctx context.Context, t *Turn) error { tries++; return a.Run(ctx, t) })
				}
				chat := team(Sequential(), Participant{Name: "p", Agent: tt.agent, OnError: failure.Policy{Retries: 2}})
				chat.Middleware = []func(Agent) Agent{counts}
				if s := newRig(t, chat).say("x"); s.err == nil {
					t.Fatal("it did not fail")
				}
				want := 1
				if tt.again {
					want = 3
				}
				equal(t, "tries", tries, want)
			})
		})
	}
}

// TestRetriesAsThePolicySays leaves it to the participant after what, and after how long, its turn is tried again.
func TestRetriesAsThePolicySays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		agent := AgentFunc(func(context.Context, *Turn) error {
			if tries++; tries == 1 {
				panic("boom")
			}
			return errors.New("no")
		})
		panics := func(err error) bool { _, ok := errors.AsType[*failure.Panic](err); return ok }
		began := time.Now()
		s := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent, OnError: failure.Policy{Retries: 5, RetryIf: panics, Backoff: -1}})).say("x")
		codeOf(t, s, errcode.AgentFailed)
		equal(t, "tries", tries, 2)
		equal(t, "waited", time.Since(began), 0)
		tries = 0
		newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent, OnError: failure.Policy{Retries: 1, RetryIf: panics, Backoff: time.Hour}})).say("x")
		if wait := time.Since(began); wait < failure.MaxBackoff/2 || wait > failure.MaxBackoff {
			t.Errorf("waited %v, want %v at most", wait, failure.MaxBackoff)
		}
	})
}

// TestRetriesWait gives what failed some time, more each time, and no longer than the run has.
func TestRetriesWait(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, p failure.Policy, limit time.Duration) (waits []time.Duration, s *stream) {
		last := time.Now()
		agent := AgentFunc(func(context.Context, *Turn) error {
			waits = append(waits, time.Since(last))
			last = time.Now()
			return errors.New("boom")
		})
		r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent, OnError: p}))
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		r.ctx = ctx
		s = r.say("x")
		return waits[1:], s
	}
	synctest.Test(t, func(t *testing.T) {
		waits, s := run(t, failure.Policy{Retries: 12}, time.Hour)
		codeOf(t, s, errcode.AgentFailed)
		most := 500 * time.Millisecond
		for i, wait := range waits {
			if wait < most/2 || wait > most {
				t.Errorf("wait %d = %v, want %v to %v", i+1, wait, most/2, most)
			}
			most = min(2*most, 30*time.Second)
		}
		began := time.Now()
		_, s = run(t, failure.Policy{Retries: 12}, 3*time.Second)
		if !errors.Is(s.err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("ended after %v with %v", time.Since(began), s.err)
		}
	})
}
