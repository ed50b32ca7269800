package groupchat

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model/openai"
)

// A gatekeeper lets one effect through each time it is asked.
type gatekeeper struct {
	t       *testing.T
	open    atomic.Bool
	effects atomic.Int32
}

func (g *gatekeeper) fence(context.Context) error {
	g.open.Store(true)
	return nil
}

// effect is called by whatever does something outside of the run.
func (g *gatekeeper) effect(what string) {
	g.effects.Add(1)
	if !g.open.Swap(false) {
		g.t.Errorf("%s was called, and the fence was not asked before", what)
	}
}

// TestFence holds everything that reaches out of a run to asking the fence first, every time.
func TestFence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		agent   func(g *gatekeeper) Agent
		effects int32
	}{
		"once": {func(g *gatekeeper) Agent {
			return AgentFunc(func(_ context.Context, t *Turn) error {
				for _, key := range []string{"a", "b"} {
					if _, err := Once(t, key, func() (bool, error) { g.effect("Once"); return true, nil }); err != nil {
						return err
					}
				}
				return nil
			})
		}, 2},
		"a model that is asked again, and its tools": {func(g *gatekeeper) Agent {
			// The tools are called one after the other: the gatekeeper does not tell concurrent callers apart.
			m := newMind(g.t, script{Status: 503}, calls("f", `{}`), calls("g", `{}`), says("Done."))
			tool := func(name string) Tool {
				return Tool{Name: name, Repeat: tools.RepeatNever, Call: func(context.Context, ToolCall) (tools.Result, error) {
					g.effect("a tool")
					return tools.Result{}, nil
				}}
			}
			return &LLM{Model: guarded(g, m), Tools: []Tool{tool("f"), tool("g")}}
		}, 6},
		"a manager": {func(g *gatekeeper) Agent {
			m := newMind(g.t, says("nonsense"), says(`{"next_speaker":"ann"}`), says(`{"terminate":true}`))
			return supervised(LLMManagerOptions{Model: guarded(g, m)}, "ann")
		}, 3},
		"a remote agent": {func(g *gatekeeper) Agent {
			u := newUpstream(g.t)
			u.answer = func(w http.ResponseWriter, _ *http.Request, _ string) {
				g.effect("a remote agent")
				sse(w, begins+ends)
			}
			return remote(g.t, RemoteOptions{URL: u.URL})
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gatekeeper{t: t}
			r := newRig(t, test.agent(g))
			r.recorded = func() { g.open.Store(false) } // it may have taken long
			out, _ := r.execute(Session{Fence: g.fence})
			if out.err != nil {
				t.Fatal(out.err)
			}
			if n := g.effects.Load(); n != test.effects {
				t.Errorf("%d effects, want %d", n, test.effects)
			}
		})
	}
}

// guarded is a model with requests that are effects.
func guarded(g *gatekeeper, m *mind) *openai.Model {
	return m.model(func(o *openai.Options) {
		o.Retries = 2
		o.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			g.effect("a model")
			return m.RoundTrip(r)
		})}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestFenceOfALostRun holds a run that waits at its fence to doing nothing once it is another's.
func TestFenceOfALostRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	r := newRig(t, AgentFunc(func(_ context.Context, turn *Turn) error {
		_, err := Once(turn, "a", func() (bool, error) {
			t.Error("Once did it")
			return true, nil
		})
		return err
	}))
	r.ctx = ctx
	out, _ := r.execute(Session{Fence: func(ctx context.Context) error {
		cancel(ErrMoved)
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	if !errors.Is(out.err, ErrMoved) {
		t.Errorf("Execute() = %v, want ErrMoved", out.err)
	}
}
