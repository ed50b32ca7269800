package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A measuredCase is something that happens, and all that it moves.
type measuredCase struct {
	change func(*gateway.Options)
	// before happens before anything is measured, play is measured; it returns the streams it has read.
	before func(w *world)
	play   func(w *world) []*reader
	want   []string // without events logged and sent, which are compared with those of the store and of the clients
}

// resumed is the request that brings one answer.
func resumed(run, question, answer string) string {
	return input("t", run, nil, fmt.Sprintf(`"resume":[{"interruptId":%q,%s}]`, question, answer))
}

const (
	answerM  = `"status":"resolved","payload":{"value":"M"}`
	answerNo = `"status":"cancelled"`
)

// all reads the rest of streams.
func all(readers ...*reader) []*reader {
	for _, r := range readers {
		r.rest()
	}
	return readers
}

// began begins a run of an agent that waits.
func began(w *world, agent, thread string) *reader {
	r := w.open(http.MethodPost, "/agents/"+agent, input(thread, "r1", []string{"u1:Hi"}))
	r.until(agui.TypeCustom)
	return r
}

func TestMetricsCountExactlyWhatHappened(t *testing.T) {
	t.Parallel()
	for name, c := range measuredCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMeter(t)
			w := newWorld(t, func(o *gateway.Options) {
				o.Store = memstore.New(memstore.Options{Now: o.Now})
				if c.change != nil {
					c.change(o)
				}
				m.options(o)
			})
			if c.before != nil {
				c.before(w)
				m.settled(w)
				m.moved()
			}
			logged, bytes := m.events.Load(), m.bytes.Load()
			readers := c.play(w)
			m.settled(w)
			want := slices.Clone(c.want)
			add := func(series string, n int) {
				if n > 0 {
					want = append(want, fmt.Sprintf("%s %d", series, n))
				}
			}
			add("log.events", int(m.events.Load()-logged))
			add("log.bytes", int(m.bytes.Load()-bytes))
			events, size := 0, 0
			for _, r := range readers {
				events += len(r.records)
				for _, record := range r.records {
					size += len(record.Data)
				}
			}
			add("sent.events", events)
			add("sent.bytes", size)
			slices.Sort(want)
			if diff := cmp.Diff(want, m.moved()); diff != "" {
				t.Errorf("moved (-want +got):\n%s", diff)
			}
		})
	}
}

func measuredCases(t *testing.T) map[string]measuredCase {
	one := func(r *reader) []*reader { return []*reader{r} }
	return map[string]measuredCase{
		"nothing": {play: func(w *world) []*reader { w.call(http.MethodGet, "/threads", ""); return nil }},
		"a success": {
			play: func(w *world) []*reader { return one(w.post("echo", input("t", "r1", []string{"u1:Hi"}))) },
			want: []string{
				"first_event{agent=echo} 1", "first_text{agent=echo} 1",
				"runs{agent=echo,outcome=success} 1", "run.duration{agent=echo,outcome=success} 1",
			},
		},
		"a success without a word": {
			play: func(w *world) []*reader { return one(w.post("silent", input("t", "r1", []string{"u1:Hi"}))) },
			want: []string{"first_event{agent=silent} 1", "runs{agent=silent,outcome=success} 1", "run.duration{agent=silent,outcome=success} 1"},
		},
		"an error": {
			play: func(w *world) []*reader { return one(w.post("mute", input("t", "r1", []string{"u1:Hi"}))) },
			want: []string{
				"first_event{agent=mute} 1", "runs{agent=mute,outcome=error} 1", "run.duration{agent=mute,outcome=error} 1",
				"run.errors{agent=mute,code=agent_failed} 1",
			},
		},
		"two questions of a team": {
			change: func(o *gateway.Options) {
				o.Agents["team"] = &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
					{Name: "ann", Agent: groupchat.AgentFunc(echoes)}, {Name: "bob", Agent: groupchat.AgentFunc(asksTwo)},
				}}
			},
			play: func(w *world) []*reader { return one(w.post("team", input("t", "r1", []string{"u1:Hi"}))) },
			want: []string{
				"first_event{agent=team} 1", "first_text{agent=team} 1", "interrupts{agent=team,event=opened} 2",
				"runs{agent=team,outcome=interrupt} 1", "run.duration{agent=team,outcome=interrupt} 1",
				"turns{agent=team,outcome=ok,participant=ann} 1", "turn.duration{agent=team,participant=ann} 1",
				"turns{agent=team,outcome=interrupt,participant=bob} 1", "turn.duration{agent=team,participant=bob} 1",
			},
		},
		"an answer, and the same once more": answeredCase("ask", answerM, []string{
			"first_event{agent=ask} 1", "first_text{agent=ask} 1", "interrupts{agent=ask,event=answered} 1", "interrupt.wait{agent=ask} 1",
			"runs{agent=ask,outcome=success} 1", "run.duration{agent=ask,outcome=success} 1",
		}),
		"a question that is called off": answeredCase("ask", answerNo, []string{
			"first_event{agent=ask} 1", "first_text{agent=ask} 1", "interrupts{agent=ask,event=cancelled} 1",
			"runs{agent=ask,outcome=success} 1", "run.duration{agent=ask,outcome=success} 1",
		}),
		"an answer whose run fails is not used": answeredCase("fails-answer", answerM, []string{
			"first_event{agent=fails-answer} 1", "first_text{agent=fails-answer} 1", "run.errors{agent=fails-answer,code=agent_failed} 1",
			"runs{agent=fails-answer,outcome=error} 1", "run.duration{agent=fails-answer,outcome=error} 1",
		}),
		"a refused answer": {
			before: func(w *world) { w.post("ask", input("t", "r1", []string{"u1:Hi"})) },
			play:   func(w *world) []*reader { return one(w.post("ask", resumed("r2", "int_unknown", answerM))) },
		},
		"a stop": {
			play: func(w *world) []*reader {
				r := began(w, "slow", "t")
				w.call(http.MethodPost, "/threads/t/stop", "{}")
				return all(r)
			},
			want: []string{
				"first_event{agent=slow} 1", "first_text{agent=slow} 1",
				"runs{agent=slow,outcome=cancelled} 1", "run.duration{agent=slow,outcome=cancelled} 1",
			},
		},
		"two more readers": {
			before: func(w *world) { w.post("echo", input("t", "r1", []string{"u1:Hi"})) },
			play: func(w *world) []*reader {
				const events = "/threads/t/events?protocolVersion=1.0"
				return all(w.open(http.MethodGet, events, ""), w.open(http.MethodGet, events, ""))
			},
		},
		"a request that waits for another's run": {
			play: func(w *world) []*reader {
				first := began(w, "slow-queue", "t")
				second := w.open(http.MethodPost, "/agents/slow-queue", input("t", "r2", []string{"u1:Hi", "u2:Me too"}))
				eventually(w.t, "it waits", func() bool { return w.g.Stats().QueuedRuns == 1 })
				w.release()
				w.release()
				return all(first, second)
			},
			want: []string{
				"queue.wait 1", "first_event{agent=slow-queue} 2", "first_text{agent=slow-queue} 2",
				"runs{agent=slow-queue,outcome=success} 2", "run.duration{agent=slow-queue,outcome=success} 2",
			},
		},
		"a model that is asked again, and a tool that fails": modelCase(t),
		"an agent on another server":                         remoteCase(t),
	}
}

// answeredCase is a question, its answer, which is measured, and the answer once more.
func answeredCase(agent, answer string, want []string) measuredCase {
	question := ""
	return measuredCase{
		before: func(w *world) { question = w.post(agent, input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID },
		play: func(w *world) []*reader {
			w.clock.Move(time.Minute)
			first := w.post(agent, resumed("r2", question, answer))
			if _, failed := first.last().(*agui.RunError); failed {
				return []*reader{first}
			}
			return []*reader{first, w.post(agent, resumed("r2", question, answer))}
		},
		want: want,
	}
}

// modelCase is a run with two model calls: first its server is away for a moment, and the tool that it calls fails.
func modelCase(t *testing.T) measuredCase {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		said := `"content":"It is out of order."`
		switch asked.Add(1) {
		case 1:
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case 2:
			said = `"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{}"}}]`
		}
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":\"stop\"}]}\n\n"+
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n", said)
	}))
	t.Cleanup(server.Close)
	m, err := openai.New(openai.Options{Provider: "mock", BaseURL: server.URL, Name: "m1", Price: &model.Price{Input: 2, Output: 5}})
	if err != nil {
		t.Fatal(err)
	}
	tool := groupchat.NewTool("look", "Looks", func(context.Context, groupchat.ToolCall, struct{}) (string, error) {
		return "", errors.New("out of order")
	})
	return measuredCase{
		change: func(o *gateway.Options) { o.Agents["llm"] = &groupchat.LLM{Model: m, Tools: []groupchat.Tool{tool}} },
		play:   func(w *world) []*reader { return []*reader{w.post("llm", input("t", "r1", []string{"u1:go"}))} },
		want: []string{
			"first_event{agent=llm} 1", "first_text{agent=llm} 1", "runs{agent=llm,outcome=success} 1", "run.duration{agent=llm,outcome=success} 1",
			"model.calls{model=m1,outcome=ok,provider=mock} 2", "model.duration{model=m1,provider=mock} 2", "model.first_token{model=m1,provider=mock} 2",
			"model.tokens{model=m1,provider=mock,type=input} 20", "model.tokens{model=m1,provider=mock,type=output} 4",
			"model.cost{model=m1,provider=mock} 6e-05", // 20 tokens for 2 a million, and 4 for 5
			"tool.calls{outcome=tool_failed,tool=look} 1", "tool.duration{tool=look} 1",
		},
	}
}

// remoteCase is a run of an agent that another gateway has.
func remoteCase(t *testing.T) measuredCase {
	t.Helper()
	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: newWorld(t).url + "/agents/echo"})
	if err != nil {
		t.Fatal(err)
	}
	return measuredCase{
		change: func(o *gateway.Options) { o.Agents["far"] = far },
		play:   func(w *world) []*reader { return []*reader{w.post("far", input("t", "r1", []string{"u1:Hi"}))} },
		want: []string{
			"first_event{agent=far} 1", "first_text{agent=far} 1", "runs{agent=far,outcome=success} 1", "run.duration{agent=far,outcome=success} 1",
			"remote.calls{outcome=ok,remote=far} 1",
		},
	}
}

// TestWhatIsOpenIsObserved reads the gauges during a run with another request waiting for it, and after both.
func TestWhatIsOpenIsObserved(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Runs = 7; m.options(o) })
	observed := func() map[string]int64 {
		got := map[string]int64{}
		for _, name := range []string{"open_runs", "open_readers", "queued_runs", "max_runs"} {
			if value, ok := m.gauge(name); ok {
				got[name] = value
			}
		}
		return got
	}
	first := began(w, "slow-queue", "t")
	second := w.open(http.MethodPost, "/agents/slow-queue", input("t", "r2", []string{"u1:Hi", "u2:Me too"}))
	eventually(t, "it waits", func() bool { return w.g.Stats().QueuedRuns == 1 })
	if diff := cmp.Diff(map[string]int64{"open_runs": 1, "open_readers": 1, "queued_runs": 1, "max_runs": 7}, observed()); diff != "" {
		t.Errorf("while one runs and one waits (-want +got):\n%s", diff)
	}
	w.release()
	w.release()
	all(first, second)
	m.settled(w)
	if diff := cmp.Diff(map[string]int64{"open_runs": 0, "open_readers": 0, "queued_runs": 0, "max_runs": 7}, observed()); diff != "" {
		t.Errorf("at rest (-want +got):\n%s", diff)
	}
}

// TestLimitsAreCountedByName reaches limits, each of which is counted once.
func TestLimitsAreCountedByName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*gateway.Options)
		reach  func(w *world)
	}{
		"runs": {func(o *gateway.Options) { o.Limits.Runs = 1 }, func(w *world) {
			began(w, "slow", "t")
			w.call(http.MethodPost, "/agents/echo", input("t2", "r2", []string{"u1:Hi"}))
		}},
		"readers": {func(o *gateway.Options) { o.Limits.Readers = 1 }, func(w *world) {
			began(w, "slow", "t")
			w.call(http.MethodGet, "/threads/t/events", "")
		}},
		"queue": {func(o *gateway.Options) { o.Limits.Queue = 1 }, func(w *world) {
			began(w, "slow-queue", "t")
			w.open(http.MethodPost, "/agents/slow-queue", input("t", "r2", []string{"u1:Hi", "u2:Me too"}))
			eventually(w.t, "it waits", func() bool { return w.g.Stats().QueuedRuns == 1 })
			w.post("slow-queue", input("t", "r3", []string{"u1:Hi", "u3:And me"}))
		}},
		"body": {func(o *gateway.Options) { o.Limits.Body = 500 }, func(w *world) {
			w.call(http.MethodPost, "/agents/echo", input("t", "r1", []string{"u1:" + strings.Repeat("x", 500)}))
		}},
		"header": {func(o *gateway.Options) { o.Limits.Header = 2000 }, func(w *world) {
			w.call(http.MethodGet, "/threads", "", "X-Long", strings.Repeat("x", 2000))
		}},
		"thread": {func(o *gateway.Options) { o.Limits.Thread = 100 }, func(w *world) {
			w.post("echo", input("t", "r1", []string{"u1:" + strings.Repeat("x", 100)}))
		}},
		"state": {func(o *gateway.Options) { o.Limits.State = 100 }, func(w *world) { w.post("heavy", input("t", "r1", []string{"u1:Hi"})) }},
		"event": {func(o *gateway.Options) { o.Limits.Event = 1000 }, func(w *world) { w.post("large", input("t", "r1", []string{"u1:Hi"})) }},
		"patch": {func(o *gateway.Options) { o.Limits.PatchOps = 1 }, func(w *world) {
			w.post("echo", input("t", "r1", []string{"u1:Hi"}))
			w.patchState("t", "application/json-patch+json", `[{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":1}]`)
		}},
		"hops": {nil, func(w *world) {
			w.call(http.MethodPost, "/agents/echo", input("t", "r1", []string{"u1:Hi"}), groupchat.HopsHeader, "16")
		}},
		"rate": {func(o *gateway.Options) {
			o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{ID: "ann"}, nil }
			o.Limits.Rate, o.Limits.RateBurst = 1, 1
		}, func(w *world) {
			w.call(http.MethodGet, "/threads", "")
			w.call(http.MethodGet, "/threads", "")
		}},
		"runs_per_principal": {func(o *gateway.Options) {
			o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{ID: "ann"}, nil }
			o.Limits.RunsPerPrincipal = 1
		}, func(w *world) {
			began(w, "slow", "t")
			w.call(http.MethodPost, "/agents/echo", input("t2", "r2", []string{"u1:Hi"}))
		}},
		"tokens_per_principal": {func(o *gateway.Options) {
			o.Agents["llm"] = &groupchat.LLM{Model: newThinker(t).model}
			o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{ID: "ann"}, nil }
			o.Limits.TokensPerPrincipal = 5
		}, func(w *world) {
			w.post("llm", input("t", "r1", []string{"u1:Hi"})).finished()
			w.call(http.MethodPost, "/agents/llm", input("t", "r2", []string{"u1:Hi", "u2:More"}))
		}},
		"readers_per_principal": {func(o *gateway.Options) {
			o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{ID: "ann"}, nil }
			o.Limits.ReadersPerPrincipal = 1
		}, func(w *world) {
			began(w, "slow", "t")
			w.call(http.MethodGet, "/threads/t/events", "")
		}},
		"store": {func(o *gateway.Options) { o.Store = memstore.New(memstore.Options{Now: o.Now, Limit: 1}) }, func(w *world) {
			w.call(http.MethodPost, "/agents/echo", input("t", "r1", []string{"u1:Hi"}))
		}},
		"forwarded_headers": {func(o *gateway.Options) {
			far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: "http://127.0.0.1:1/", Forward: []string{"X-Tenant"}})
			if err != nil {
				t.Fatal(err)
			}
			o.Agents["far"] = far
		}, func(w *world) {
			w.call(http.MethodPost, "/agents/far", input("t", "r1", []string{"u1:Hi"}), "X-Tenant", strings.Repeat("x", 17<<10))
		}},
		"stored_per_principal": {func(o *gateway.Options) { o.Limits.StoredPerPrincipal = 100 }, func(w *world) {
			w.call(http.MethodPost, "/agents/echo", input("t", "r1", []string{"u1:" + strings.Repeat("x", 100)}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMeter(t)
			w := newWorld(t, func(o *gateway.Options) {
				if c.change != nil {
					c.change(o)
				}
				m.options(o)
			})
			c.reach(w)
			var limits []string
			for _, line := range m.moved() {
				if strings.HasPrefix(line, "limits{") {
					limits = append(limits, line)
				}
			}
			if diff := cmp.Diff([]string{"limits{limit=" + name + "} 1"}, limits); diff != "" {
				t.Errorf("moved (-want +got):\n%s", diff)
			}
		})
	}
}
