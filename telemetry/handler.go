package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

// Handler returns next with a span for each request that traced allows, which is part of the caller's trace if the request
// names one. The span has the route of the request, its Pattern, which next fills in. Requests have t in their context.
func (t *Telemetry) Handler(next http.Handler, traced func(*http.Request) bool) http.Handler {
	within := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if own, ok := r.Context().Value(writerKey{}).(http.ResponseWriter); ok && own != w {
			w = directWriter{w, own}
		}
		next.ServeHTTP(w, r)
	})
	spans := otelhttp.NewHandler(within, "request",
		otelhttp.WithTracerProvider(guardedProvider{TracerProvider: t.tracers, bound: true}), otelhttp.WithMeterProvider(t.meters),
		otelhttp.WithPropagators(w3c), otelhttp.WithFilter(traced))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spans.ServeHTTP(w, r.WithContext(context.WithValue(With(r.Context(), t), writerKey{}, w)))
	})
}

type writerKey struct{}

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
