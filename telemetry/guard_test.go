package telemetry

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// A faulty tracer, span or exporter is somebody else's, and panics.
type (
	faultyProvider struct{ noop.TracerProvider }
	faultyTracer   struct{ noop.Tracer }
	faultyExporter struct{}
)

func (faultyProvider) Tracer(string, ...trace.TracerOption) trace.Tracer { return faultyTracer{} }

func (faultyTracer) Start(context.Context, string, ...trace.SpanStartOption) (context.Context, trace.Span) {
	panic("a tracer")
}

func (faultyExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	panic("an exporter")
}

func (faultyExporter) Shutdown(context.Context) error { return nil }

// TestAPanicOfATracerHarmsNobody: a step and a request succeed, and the request's trace is propagated.
func TestAPanicOfATracerHarmsNobody(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, provider := range map[string]trace.TracerProvider{
		"a tracer":    faultyProvider{},
		"an exporter": sdktrace.NewTracerProvider(sdktrace.WithSyncer(faultyExporter{})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tel := New(Options{Tracers: provider, Content: true})
			asked := ""
			server := httptest.NewServer(tel.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				ctx, s := BeginLinked(r.Context(), Record{Kind: KindModel, Name: "m"}, Link{Traceparent: parent, Why: LinkPrevious})
				s.Content(InputMessages, func() any { return "hello" })
				s.Retry(nil, 0)
				s.Finish("stop")
				s.Address("host")
				s.Outcome("success")
				asked = Traceparent(ctx)
				s.End(nil)
			}), func(*http.Request) bool { return true }))
			defer server.Close()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Traceparent", parent)
			response, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK || !strings.HasPrefix(asked, "00-0af7651916cd43dd8448eb211c80319c-") {
				t.Errorf("status %d, traceparent %q", response.StatusCode, asked)
			}
		})
	}
}

// A span keeps no more of what a caller sends than it needs.
func TestARequestsSpanIsBounded(t *testing.T) {
	t.Parallel()
	ctx, exporter := recorded(t, Options{})
	h := From(ctx).Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { NameRoute(r.Context(), "GET /threads/:id") }), func(*http.Request) bool { return true })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/threads/"+strings.Repeat("x", 10_000)+"?token=secret", http.NoBody)
	r.Header.Set("User-Agent", strings.Repeat("y", 10_000))
	r.Header.Set("Authorization", "Bearer secret")
	h.ServeHTTP(httptest.NewRecorder(), r)
	s := exporter.GetSpans()[0]
	if s.Name != "GET /threads/:id" {
		t.Errorf("the span is called %q", s.Name)
	}
	for name, value := range attributesOf(s) {
		if len(value) > maxAttribute+8 || strings.Contains(value, "secret") {
			t.Errorf("%s has %d bytes: %.40s", name, len(value), value)
		}
	}
}

// BenchmarkOff is a step with a first token and an end without receivers: the cost in each run.
func BenchmarkOff(b *testing.B) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, s := Begin(ctx, Record{Kind: KindTurn, Name: "flights"})
		s.End(nil)
	}
}

// TestOffCostsAlmostNothing counts the allocations of a step and an event without receivers.
func TestOffCostsAlmostNothing(t *testing.T) {
	ctx, quiet := context.Background(), New(Options{Tracers: noop.NewTracerProvider()})
	const handful = 8
	for name, f := range map[string]func(){
		"a step with the global providers": func() {
			_, s := Begin(ctx, Record{Kind: KindTurn, Name: "flights"})
			s.End(nil)
		},
		"a call of the store that is measured": func() { quiet.Measure(ctx, Record{Kind: KindStore, Name: "append"}).End(nil) },
	} {
		if n := testing.AllocsPerRun(100, f); n > handful {
			t.Errorf("%s: %v allocations, want at most %d", name, n, handful)
		}
	}
}
