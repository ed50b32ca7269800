package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// w3c propagates traces between servers. Baggage, which callers control, is not propagated.
var w3c = propagation.TraceContext{}

const (
	parentHeader = "traceparent"
	stateHeader  = "tracestate"
)

// Traceparent names the span of ctx, in W3C's form; empty if ctx has none.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier[parentHeader]
}

// Traced reports whether ctx is part of a trace.
func Traced(ctx context.Context) bool { return trace.SpanContextFromContext(ctx).IsValid() }

// WithTraceparent returns a context with spans below that of [Traceparent]. An invalid parent changes nothing.
func WithTraceparent(ctx context.Context, parent string) context.Context {
	if at := spanContextOf(parent); at.IsValid() {
		return trace.ContextWithRemoteSpanContext(ctx, at)
	}
	return ctx
}

func spanContextOf(parent string) trace.SpanContext {
	if parent == "" {
		return trace.SpanContext{}
	}
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier{parentHeader: parent}))
}

// Inject calls set with the trace headers of ctx, traceparent and perhaps tracestate. Without a trace it does nothing.
func Inject(ctx context.Context, set func(name, value string)) {
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	for _, name := range []string{parentHeader, stateHeader} {
		if value := carrier[name]; value != "" {
			set(name, value)
		}
	}
}

// Transport returns a transport that propagates traces, for trusted servers; nil is [http.DefaultTransport].
func Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

// RoundTrip sends r with its trace.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if Traced(r.Context()) {
		r = r.Clone(r.Context())
		w3c.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	}
	return t.next.RoundTrip(r)
}

// CloseIdleConnections closes those of next, for [http.Client.CloseIdleConnections].
func (t transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
