package telemetry_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/baggage"

	"github.com/agui-gateway/gateway/telemetry"
)

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// Lines that are logged with the context of a span name it.
func ExampleLogHandler() {
	text := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(telemetry.LogHandler(text))
	ctx := telemetry.WithTraceparent(context.Background(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	log.InfoContext(ctx, "run: started")
	log.Info("listening")
	telemetry.Logger(ctx, log).With("run", 1).Info("run: ended")
	// Output:
	// level=INFO msg="run: started" trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331
	// level=INFO msg=listening
	// level=INFO msg="run: ended" run=1 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331
}

// TestWhatIsToldOfATrace to another server is the trace, whatever else the request of the caller had.
func TestWhatIsToldOfATrace(t *testing.T) {
	t.Parallel()
	var heard http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard = r.Header.Clone() }))
	defer server.Close()
	client := &http.Client{Transport: telemetry.Transport(server.Client().Transport)}
	member, err := baggage.NewMember("user", "alice")
	if err != nil {
		t.Fatal(err)
	}
	all, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ parent, want string }{
		"a trace":          {traceparent, traceparent},
		"no trace":         {"", ""},
		"what is no trace": {"00-zz-zz-01", ""},
	} {
		ctx := telemetry.WithTraceparent(baggage.ContextWithBaggage(t.Context(), all), tt.parent)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := heard.Get("Traceparent"); got != tt.want || heard.Get("Baggage") != "" || r.Header.Get("Traceparent") != "" {
			t.Errorf("%s: heard %q and baggage %q", name, got, heard.Get("Baggage"))
		}
		var meta []string
		telemetry.Inject(ctx, func(name, value string) { meta = append(meta, name+"="+value) })
		if want := tt.want != ""; slices.Contains(meta, "traceparent="+traceparent) != want || telemetry.Traced(ctx) != want {
			t.Errorf("%s: told %q", name, meta)
		}
	}
	client.CloseIdleConnections()
}

// TestWorkThatOutlivesItsStepIsPartOfIt though its context is another.
func TestWorkThatOutlivesItsStepIsPartOfIt(t *testing.T) {
	t.Parallel()
	var told []telemetry.Record
	ctx, cancel := context.WithCancel(telemetry.WithSink(t.Context(), "", func(r telemetry.Record) { told = append(told, r) }))
	ctx, step := telemetry.Begin(telemetry.WithTraceparent(ctx, traceparent), telemetry.Record{Kind: telemetry.KindRun})
	cancel()
	after := telemetry.Continue(context.Background(), ctx)
	_, child := telemetry.Begin(after, telemetry.Record{Kind: telemetry.KindTurn})
	child.End(nil)
	step.End(nil)
	if after.Err() != nil || telemetry.Traceparent(after) != telemetry.Traceparent(ctx) || len(told) != 4 || told[1].Parent != told[0].ID {
		t.Errorf("told = %+v", told)
	}
}
