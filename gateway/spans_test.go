package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	gocmp "github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/telemetry"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "00-" + callersTrace + "-b7ad6b7169203331-01"
)

// A caller's trace is propagated to each server that the run calls, and with the notice of its question. Other headers
// of a caller for its own servers are not.
func TestATraceReachesWhoIsAsked(t *testing.T) {
	t.Parallel()
	team := newWiredTeam(t, telemetry.Options{}, "3 euros", []openaitest.Answer{openaitest.Calls("price", `{"of":"tea"}`), openaitest.Text("Three.")})
	team.post("desk", input("t", "r", []string{"u:go"}), "Traceparent", callersSpan, "Tracestate", "vendor=1", "Baggage", "user=alice")
	eventually(t, "the notice", func() bool { return len(team.hook.heard("Traceparent")) > 0 })
	for name, at := range map[string]*witness{"the model": team.model, "the MCP server": team.tools, "the remote agent": team.far, "the webhook": team.hook} {
		heard := at.heard("Traceparent")
		if len(heard) == 0 || slices.ContainsFunc(heard, func(v string) bool { return !strings.HasPrefix(v, "00-"+callersTrace+"-") || v == callersSpan }) {
			t.Errorf("%s heard traceparent %q, want new spans of %s", name, heard, callersTrace)
		}
		if heard := at.heard("Baggage"); len(heard) > 0 {
			t.Errorf("%s heard baggage %q", name, heard)
		}
	}
	for name, at := range map[string]*witness{"the model": team.model, "the remote agent": team.far} {
		if heard := at.heard("Tracestate"); !slices.Contains(heard, "vendor=1") {
			t.Errorf("%s heard tracestate %q", name, heard)
		}
	}
	team.mu.Lock()
	defer team.mu.Unlock()
	if len(team.meta) != 1 || !strings.HasPrefix(team.meta[0]["traceparent"].(string), "00-"+callersTrace) {
		t.Errorf("_meta of the call = %v", team.meta)
	}
}

// What a run does is a tree of spans below the request that started it.
func TestSpansOfARun(t *testing.T) {
	t.Parallel()
	team := newWiredTeam(t, telemetry.Options{}, "3 euros", []openaitest.Answer{openaitest.Calls("price", `{"of":"tea"}`), openaitest.Text("Three.")})
	team.post("desk", input("t", "r", []string{"u:go"}), "Traceparent", callersSpan)
	eventually(t, "the spans", func() bool {
		spans := team.spans.GetSpans()
		return len(named(spans, "POST /agents/:agent")) == 1 && len(named(spans, "webhook")) == 1 && len(runSpans(team.spans)) == 1
	})
	want := `POST /agents/:agent
  invoke_agent desk
    choose supervisor
    invoke_agent clerk
      chat m1
      execute_tool price
      chat m1
    choose supervisor
    invoke_agent scout
      invoke_agent scout
    choose supervisor
    invoke_agent asker
    webhook
`
	if diff := gocmp.Diff(want, tree(team.spans.GetSpans(), callersTrace)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The runs of a thread have separate traces, each linked with the one before: the answer with the run that asked.
func TestTheRunsOfAThreadAreLinked(t *testing.T) {
	t.Parallel()
	team := newWiredTeam(t, telemetry.Options{}, "3 euros", []openaitest.Answer{openaitest.Text("Hello.")})
	team.post("desk", input("t", "r1", []string{"u:go"}))
	question := team.thread("t").Interrupts[0].ID
	team.post("desk", input("t", "r2", nil, `"resume":[{"interruptId":`+quote(question)+`,"status":"resolved","payload":"M"}]`))
	team.post("desk", input("t", "r3", []string{"u2:again"}))
	var runs tracetest.SpanStubs
	eventually(t, "the spans", func() bool { runs = runSpans(team.spans); return len(runs) == 3 })
	for i, run := range runs {
		if id := attributeOf(run, "gen_ai.conversation.id"); id != "t" {
			t.Errorf("run %d is of thread %q", i+1, id)
		}
		links := linksOf(run)
		if i == 0 {
			if len(links) != 0 {
				t.Errorf("the first run is linked with %v", links)
			}
			continue
		}
		before := runs[i-1].SpanContext
		if run.SpanContext.TraceID() == before.TraceID() {
			t.Errorf("runs %d and %d are one trace", i, i+1)
		}
		if want := []string{"previous t " + before.TraceID().String() + " " + before.SpanID().String()}; !slices.Equal(links, want) {
			t.Errorf("run %d is linked with %q, want %q", i+1, links, want)
		}
	}
}

// runSpans are the spans of attempts that have ended, in the order in which they began.
func runSpans(exporter *tracetest.InMemoryExporter) tracetest.SpanStubs {
	runs := slices.DeleteFunc(exporter.GetSpans(), func(s tracetest.SpanStub) bool { return attributeOf(s, "agui.step") != "run" })
	slices.SortStableFunc(runs, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	return runs
}

// linksOf says where the links of a span lead.
func linksOf(s tracetest.SpanStub) (links []string) {
	for _, l := range s.Links {
		text := ""
		for _, a := range l.Attributes {
			text += a.Value.String() + " "
		}
		links = append(links, text+l.SpanContext.TraceID().String()+" "+l.SpanContext.SpanID().String())
	}
	return links
}

// A takeover continues the trace of the run, below the attempt that it takes over and linked with it.
func TestATakeoverIsLinked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := closeLast(t, memstore.New(memstore.Options{}))
		var paid atomic.Int64
		door := newMortal(shared)
		defer close(door.buried)
		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
		told := func(o *gateway.Options) { o.Telemetry = telemetry.New(telemetry.Options{Tracers: provider}) }
		crewOf := func(gate <-chan struct{}) *groupchat.Chat { return crew(gate, &paid, nil) }
		a, b := replicaOf(t, door, 3, crewOf, told), replicaOf(t, shared, 3, crewOf, told)
		owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}), "Traceparent", callersSpan)
		defer owner.hangUp()
		owner.hears("I paid ")
		thread, _, err := shared.Load(t.Context(), state.Key{Principal: "local", Agent: "crew", ID: "t"})
		if err != nil {
			t.Fatal(err)
		}
		dead := thread.Live.Intent.Trace
		watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
		defer watcher.hangUp()
		watcher.hears("I paid ")
		close(door.dead)
		b.gate <- struct{}{}
		watcher.until(agui.TypeRunFinished)
		synctest.Wait()
		runs := slices.DeleteFunc(runSpans(exporter), func(s tracetest.SpanStub) bool { return attributeOf(s, "agui.attempt") != "2" })
		if len(runs) != 1 {
			t.Fatalf("%d spans of second attempts", len(runs))
		}
		second := runs[0]
		parts := strings.Split(dead, "-")
		if want := []string{"takeover t " + callersTrace + " " + parts[2]}; parts[1] != callersTrace || !slices.Equal(linksOf(second), want) {
			t.Errorf("the second attempt is linked with %q, want %q", linksOf(second), want)
		}
		if second.SpanContext.TraceID().String() != callersTrace || second.Parent.SpanID().String() != parts[2] {
			t.Errorf("the second attempt is part of %v %v, want that of the first", second.Parent.TraceID(), second.Parent.SpanID())
		}
	})
}

// Requests are named by their routes, those of CopilotKit's own table too, and probes have no span at all.
func TestSpansOfRequests(t *testing.T) {
	t.Parallel()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	w := newWorld(t, func(o *gateway.Options) { o.Telemetry = telemetry.New(telemetry.Options{Tracers: provider}) })
	for _, tt := range []struct{ request, span, status string }{
		{"GET /agents", "GET /agents", "200"},
		{"GET /threads/none", "GET /threads/:id", "404"},
		{"GET /api/copilotkit/info", "GET /api/copilotkit/info", "200"},
		{"GET /api/copilotkit/threads/none/messages", "GET /api/copilotkit/threads/{thread}/messages", "200"},
		{"GET /nowhere", "GET", "404"},
		{"GET /healthz", "", ""},
		{"GET /readyz", "", ""},
		{"GET /", "", ""},
	} {
		exporter.Reset()
		method, path, _ := strings.Cut(tt.request, " ")
		w.call(method, path, "")
		requests := func() tracetest.SpanStubs {
			return slices.DeleteFunc(exporter.GetSpans(), func(s tracetest.SpanStub) bool { return attributeOf(s, "agui.step") != "" })
		}
		if tt.span == "" {
			if spans := exporter.GetSpans(); len(spans) > 0 {
				t.Errorf("%s has a span %q", tt.request, spans[0].Name)
			}
			continue
		}
		eventually(t, "the span", func() bool { return len(requests()) == 1 })
		if s := requests()[0]; s.Name != tt.span || attributeOf(s, "http.response.status_code") != tt.status {
			t.Errorf("%s is %q with status %s, want %q", tt.request, s.Name, attributeOf(s, "http.response.status_code"), tt.span)
		}
	}
}
