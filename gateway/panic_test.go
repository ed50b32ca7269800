package gateway_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/memstore"
)

// broken is a team of one with a shared state that has a panicking reducer at /broken.
func broken(initial string, p groupchat.Participant) *groupchat.Chat {
	p.Name = "one"
	if p.Agent == nil {
		p.Agent = groupchat.AgentFunc(echoes)
	}
	return &groupchat.Chat{
		Manager: groupchat.Sequential(), Participants: []groupchat.Participant{p},
		State: groupchat.StateSpec{
			Initial:  json.RawMessage(initial),
			Reducers: document.Reducers{"/broken": func(_, _ json.RawMessage) (json.RawMessage, error) { panic("secret") }},
		},
	}
}

// drains checks that no run was left on the books.
func (w *world) drains() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if err := w.g.Drain(ctx); err != nil {
		w.t.Errorf("Drain() = %v", err)
	}
}

// A panic of an agent's code ends the run it happened in with an error, and nothing else.
func TestAPanicEndsOneRun(t *testing.T) {
	t.Parallel()
	sets := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return t.State().Set("/broken", 1) })
	outputs := groupchat.Scoping{Kind: groupchat.ScopeMapped, Mapping: document.Mapping{Out: map[string]string{"/broken": "/broken"}}}
	for name, agent := range map[string]groupchat.Agent{
		"a reducer, of what the state begins with": broken(`{"broken":1}`, groupchat.Participant{}),
		"a reducer, in a turn":                     broken(`{}`, groupchat.Participant{Agent: sets}),
		"a reducer, of what works beside others": broken(`{}`, groupchat.Participant{Agent: &groupchat.Concurrent{
			Participants: []groupchat.Participant{{Name: "a", Agent: sets, Scope: outputs}},
		}}),
		"a manager": &groupchat.Chat{
			Manager:      groupchat.ByFunc(func(context.Context, groupchat.View) (groupchat.Decision, error) { panic("secret") }),
			Participants: []groupchat.Participant{{Name: "one", Agent: groupchat.AgentFunc(echoes)}},
		},
		"the agent": groupchat.AgentFunc(panics),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *gateway.Options) {
				o.Log = slog.New(slog.DiscardHandler)
				o.Agents["broken"] = agent
			})
			beside := w.open("POST", "/agents/slow", input("beside", "r1", []string{"u1:Hi"}))
			beside.until(agui.TypeCustom)
			for _, run := range []string{"r1", "r2"} {
				if code := w.post("broken", input("t", run, []string{"u1:Hi"})).code(); code != "agent_failed" {
					t.Errorf("run %s ends with %q, want agent_failed", run, code)
				}
			}
			if d := w.shows("t"); d.Status != "failed" {
				t.Errorf("the thread is %s, want failed", d.Status)
			}
			w.release()
			beside.rest()
			beside.finished()
			w.drains()
		})
	}
}

// A panickyStore panics in selected methods while it is switched on.
type panickyStore struct {
	state.Store
	in     []string
	panics atomic.Bool
	times  atomic.Int64
}

func (s *panickyStore) maybe(method string) {
	if slices.Contains(s.in, method) && s.panics.Load() {
		s.times.Add(1)
		panic("secret: " + method)
	}
}

func (s *panickyStore) Ping(ctx context.Context) error {
	s.maybe("Ping")
	return s.Store.Ping(ctx)
}

func (s *panickyStore) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	s.maybe("Begin")
	return s.Store.Begin(ctx, r, o)
}

func (s *panickyStore) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	s.maybe("Overdue")
	return s.Store.Overdue(ctx, limit)
}

func (s *panickyStore) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	s.maybe("Take")
	return s.Store.Take(ctx, key, o)
}

func (s *panickyStore) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	s.maybe("Append")
	return s.Store.Append(ctx, l, after, frames)
}

func (s *panickyStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	s.maybe("Commit")
	return s.Store.Commit(ctx, l, c)
}

func (s *panickyStore) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	s.maybe("Once")
	return s.Store.Once(ctx, l, key, result)
}

func (s *panickyStore) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	s.maybe("Renew")
	return s.Store.Renew(ctx, l, ttl)
}

func (s *panickyStore) Release(ctx context.Context, l *state.Lease) error {
	s.maybe("Release")
	return s.Store.Release(ctx, l)
}

func (s *panickyStore) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	s.maybe("Messages")
	return s.Store.Messages(ctx, key, rev)
}

func (s *panickyStore) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	s.maybe("Tail")
	return s.Store.Tail(ctx, key, after)
}

// A store that panics, in any method, only ends the affected operation. When it works again so does everything else,
// and nothing is leaked.
func TestAStoreThatPanicsForAWhile(t *testing.T) {
	t.Parallel()
	for _, methods := range []string{
		"Ping", "Begin", "Overdue", "Overdue Renew", "Take Renew", "Append", "Commit", "Commit Release", "Once", "Renew", "Messages", "Tail",
	} {
		t.Run(methods, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &panickyStore{in: strings.Fields(methods)}
				d := newDesktop(t, func(o *gateway.Options) {
					store.Store = o.Store
					o.Store = store
					o.Agents["pays"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
						_, err := groupchat.Once(t, "pay", func() (bool, error) { return true, nil })
						return errors.Join(err, groupchat.SayOnce(t, "paid", "Paid."))
					})
				})
				defer d.close()
				d.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
				store.panics.Store(true)
				for _, agent := range []string{"pays", "ask", "slow-queue"} {
					d.serve(newSink(), "POST", "/agents/"+agent+"?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
				}
				d.serve(newSink(), "GET", "/readyz", "")
				time.Sleep(15 * time.Second) // leases are renewed, and looked after
				if store.times.Load() == 0 {
					t.Error("nothing panicked")
				}
				store.panics.Store(false)
				for range cap(d.gate) {
					d.gate <- struct{}{} // also for those that take it over
				}
				time.Sleep(time.Minute)
				for _, agent := range []string{"slow", "pays", "ask", "slow-queue"} {
					thread, _, err := d.store.Load(t.Context(), state.Key{Principal: "local", Agent: agent, ID: "t"})
					if err == nil && thread.Live != nil {
						t.Errorf("the run of %s is still live", agent)
					}
				}
				after := newSink()
				d.serve(after, "POST", "/agents/echo", input("t", "r1", []string{"u1:Hi"}))
				if after.count("RUN_FINISHED") != 1 {
					t.Errorf("a run afterwards: %s", &after.data)
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				if err := d.g.Drain(ctx); err != nil {
					t.Errorf("Drain() = %v", err)
				}
			})
		})
	}
}

// A run with a panicking takeover is released, with its attempt counted, and in the end it is lost; the replicas live
// on.
func TestATakeoverThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aTakeoverThatPanics)
}

func aTakeoverThatPanics(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	var paid, panicked atomic.Int64
	door := newMortal(shared)
	defer close(door.buried) // before its gateway is closed
	a := replica(t, door, &paid, 3)
	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer owner.hangUp()
	owner.hears("I paid ")
	b := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.Log = shared, true, nil, slog.New(slog.DiscardHandler)
		team := crew(nil, &paid, nil)
		team.State = groupchat.StateSpec{Initial: json.RawMessage(`{"broken":1}`), Reducers: document.Reducers{
			"/broken": func(_, _ json.RawMessage) (json.RawMessage, error) { panicked.Add(1); panic("secret") },
		}}
		o.Agents["crew"] = team
	})
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.hears("I paid ")
	close(door.dead)
	watcher.rest()
	if code := watcher.code(); code != string(errcode.RunLost) {
		t.Errorf("code = %q, want run_lost", code)
	}
	if n := panicked.Load(); n != 2 {
		t.Errorf("%d takeovers panicked, want the 2 that are left of 3 attempts", n)
	}
	if d := b.shows("t"); d.Status != "failed" || paid.Load() != 1 {
		t.Errorf("the thread is %s, paid %d times", d.Status, paid.Load())
	}
	b.post("echo", input("after", "r1", []string{"u1:Hi"})).finished()
}

// An agent that panics while it is described is an error in the options.
func TestAnAgentThatCannotBeDescribed(t *testing.T) {
	t.Parallel()
	bad := map[string]groupchat.Agent{"bad": undescribed{}, "worse": invalid{}}
	if g, err := gateway.New(gateway.Options{Agents: bad}); err == nil {
		_ = g.Close()
		t.Error("New() = nil, want the agents' panics as errors")
	}
	w := newWorld(t)
	_, err := w.g.Replace(bad, nil)
	if err == nil || !strings.Contains(err.Error(), `agent "bad"`) || !strings.Contains(err.Error(), `agent "worse"`) {
		t.Errorf("Replace() = %v, want an error that names both agents", err)
	}
	w.post("echo", input("t", "r1", []string{"u1:Hi"})).finished()
}

type undescribed struct{ groupchat.AgentFunc }

func (undescribed) Describe() profile.Info { panic("secret") }

type invalid struct{ groupchat.AgentFunc }

func (invalid) Validate() error { panic("secret") }

// What a gateway is given to work with may panic as well: the webhook's client, the log, the source of ids.
func TestPanicsOfWhatAGatewayIsGiven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, panicsOfWhatAGatewayIsGiven)
}

func panicsOfWhatAGatewayIsGiven(t *testing.T) {
	transport := panickyTransport{make(chan struct{}, 100)}
	var ids atomic.Int64
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Now = nil
		o.Log = slog.New(panickyLog{slog.DiscardHandler})
		o.Webhook = gateway.WebhookOptions{
			URL: "http://hook.test/", Secret: hookSecret, Client: &http.Client{Transport: transport}, Retry: time.Millisecond,
		}
		o.NewID = func() string {
			if ids.Add(1)%7 == 0 {
				panic("secret")
			}
			return rand.Text()
		}
	})
	for range 40 {
		response, err := w.try(t.Context(), "POST", "/agents/ask?disconnect=detach", input(rand.Text(), "r1", []string{"u1:Hi"}))
		if err != nil {
			t.Fatalf("the connection was cut: %v", err)
		}
		_, _ = io.Copy(io.Discard, response.Body) // whichever error it is
		response.Body.Close()
	}
	receive(t, "the receiver is told of questions", transport.asked)
	receive(t, "the receiver is told again", transport.asked)
	w.drains()
}

// A panickyTransport panics instead of sending anything.
type panickyTransport struct{ asked chan struct{} }

func (p panickyTransport) RoundTrip(*http.Request) (*http.Response, error) {
	select {
	case p.asked <- struct{}{}:
	default:
	}
	panic("secret")
}

// A panickyLog panics instead of writing anything.
type panickyLog struct{ slog.Handler }

func (panickyLog) Enabled(context.Context, slog.Level) bool { return true }

func (panickyLog) Handle(context.Context, slog.Record) error { panic("secret") }

func (p panickyLog) WithAttrs([]slog.Attr) slog.Handler { return p }
