package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
)

// Handler returns next with a span for each request that traced allows, which is part of the caller's trace if the request
// names one. The span has the route of the request, which next tells by [NameRoute]. Requests have t in their context.
func (t *Telemetry) Handler(next http.Handler, traced func(*http.Request) bool) http.Handler {
	if t.Off() {
		return t.passing(next)
	}
	within := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q, ok := r.Context().Value(requestKey{}).(*request); ok {
			q.traced, w = r, directWriter{w, q.w}
		}
		next.ServeHTTP(w, r)
	})
	spans := otelhttp.NewHandler(within, "request",
		otelhttp.WithTracerProvider(guardedProvider{TracerProvider: t.tracers, bound: true}), otelhttp.WithMeterProvider(t.meters),
		otelhttp.WithPropagators(w3c), otelhttp.WithFilter(traced))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spans.ServeHTTP(w, r.WithContext(context.WithValue(With(r.Context(), t), requestKey{}, &request{w: w})))
	})
}

// A request is one that is being answered: the server's own writer, and what otelhttp reads the route from.
type request struct {
	w      http.ResponseWriter
	traced *http.Request
}

type requestKey struct{}

// NameRoute gives the request of ctx a route, such as "GET /threads/:id", by which its span and its metrics know it. Routes are few: it is
// no path. The last that is given counts. It is for the request's own goroutine.
func NameRoute(ctx context.Context, route string) {
	if q, ok := ctx.Value(requestKey{}).(*request); ok && q.traced != nil {
		q.traced.Pattern = route
	}
}

// passing is Handler where nobody takes spans: a trace that the caller names is passed on.
func (t *Telemetry) passing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := With(r.Context(), t)
		if r.Header.Get(parentHeader) != "" {
			ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// A directWriter writes through otelhttp's writer, which counts, and does everything else with the server's own: otelhttp's loses the
// error of a flush, by which a handler learns that its reader is gone.
type directWriter struct {
	http.ResponseWriter
	own http.ResponseWriter
}

// FlushError flushes and returns what went wrong.
func (w directWriter) FlushError() error { return http.NewResponseController(w.own).Flush() }

// Unwrap is for [http.ResponseController].
func (w directWriter) Unwrap() http.ResponseWriter { return w.own }
