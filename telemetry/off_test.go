package telemetry

import (
	"net/http"
	"net/http/httptest"
	"testing"

	noopmetric "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
)

// TestOff is about a program that sends nothing: a request's trace is still propagated, records go to their sink, and a
// step allocates nothing for spans and metrics.
func TestOff(t *testing.T) {
	off := New(Options{Tracers: nooptrace.NewTracerProvider(), Meters: noopmetric.NewMeterProvider()})
	for name, on := range map[string]*Telemetry{
		"global":  New(Options{}),
		"traces":  New(Options{Tracers: sdktrace.NewTracerProvider(), Meters: noopmetric.NewMeterProvider()}),
		"metrics": New(Options{Tracers: nooptrace.NewTracerProvider(), Meters: sdkmetric.NewMeterProvider()}),
	} {
		if on.Off() {
			t.Errorf("%s: Off() = true", name)
		}
	}
	if !off.Off() {
		t.Error("Off() = false")
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var passed string
	told := 0
	handler := off.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ctx, step := Begin(WithSink(r.Context(), "", func(Record) { told++ }), Record{Kind: KindTool, Name: "search"})
		if From(ctx) != off {
			t.Error("the request does not have its telemetry")
		}
		passed = Traceparent(ctx)
		step.End(nil)
	}), func(*http.Request) bool { return true })
	for _, want := range []string{parent, ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if want != "" {
			r.Header.Set("Traceparent", want)
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if passed != want {
			t.Errorf("the trace that goes on is %q, want %q", passed, want)
		}
	}
	if told != 4 {
		t.Errorf("%d records of two steps", told)
	}
	ctx := With(t.Context(), off)
	allocated := testing.AllocsPerRun(100, func() {
		_, step := Begin(ctx, Record{Kind: KindTurn, Name: "flights"})
		step.End(nil)
	})
	if allocated > 3 { // the step, and a context to find it by
		t.Errorf("a step allocates %v times", allocated)
	}
}
