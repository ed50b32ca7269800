package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
)

// Handler returns next with a span for each request that traced selects, as part of the caller's trace if the request
// names one. The span has the route that next sets with [NameRoute]. Requests have t in their context.
func (t *Telemetry) Handler(next http.Handler, traced func(*http.Request) bool) http.Handler {
	if t.Off() {
		return t.passOn(next)
	}
	within := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q, ok := r.Context().Value(requestKey{}).(*request); ok {
			q.traced, w = r, directWriter{w, q.w}
		}
		next.ServeHTTP(w, r)
	})
	spans := otelhttp.NewHandler(within, "request",
		otelhttp.WithTracerProvider(guardedProvider{TracerProvider: t.tracers, bound: true}),
		otelhttp.WithMeterProvider(t.meters), otelhttp.WithPropagators(w3c), otelhttp.WithFilter(traced))
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

// NameRoute sets the route of the request of ctx, such as "GET /threads/:id", for its span and metrics. There must be
// few routes, so it is not the path. The last call counts. Call it only in the request's goroutine.
func NameRoute(ctx context.Context, route string) {
	if q, ok := ctx.Value(requestKey{}).(*request); ok && q.traced != nil {
		q.traced.Pattern = route
	}
}

// passOn is Handler without spans: it propagates the caller's trace.
func (t *Telemetry) passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := With(r.Context(), t)
		if r.Header.Get(parentHeader) != "" {
			ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// A directWriter writes through otelhttp's writer, which counts, and uses the server's writer for everything else:
// otelhttp's loses the error of a flush, which shows that the reader is gone.
type directWriter struct {
	http.ResponseWriter
	server http.ResponseWriter
}

// FlushError flushes and returns what went wrong.
func (w directWriter) FlushError() error { return http.NewResponseController(w.server).Flush() }

// Unwrap is for [http.ResponseController].
func (w directWriter) Unwrap() http.ResponseWriter { return w.server }
