package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/agui-gateway/gateway/internal/clip"
)

// maxAttribute is how many bytes of a text a span keeps, besides those of [Options.Content]: some are the caller's, such as
// the path of a request.
const maxAttribute = 1 << 10

// protect calls f, and loses what f was to tell if it panics: whoever watches a run must not end it.
func protect(f func()) {
	defer func() { _ = recover() }()
	f()
}

// A guardedProvider makes tracers whose panics harm nobody, and whose texts are bounded. With bound those are too that a span
// begins with.
type guardedProvider struct {
	trace.TracerProvider
	bound bool
}

// Tracer returns a guarded tracer.
func (p guardedProvider) Tracer(name string, o ...trace.TracerOption) trace.Tracer {
	t := guardedTracer{Tracer: noop.Tracer{}, bound: p.bound}
	protect(func() { t.Tracer = p.TracerProvider.Tracer(name, o...) })
	return t
}

type guardedTracer struct {
	trace.Tracer
	bound bool
}

// bounded is o with shorter texts.
func bounded(o []trace.SpanStartOption) []trace.SpanStartOption {
	config := trace.NewSpanStartConfig(o...)
	list := config.Attributes()
	clipAll(list, maxAttribute)
	own := []trace.SpanStartOption{trace.WithAttributes(list...), trace.WithLinks(config.Links()...), trace.WithSpanKind(config.SpanKind())}
	if config.NewRoot() {
		own = append(own, trace.WithNewRoot())
	}
	if at := config.Timestamp(); !at.IsZero() {
		own = append(own, trace.WithTimestamp(at))
	}
	return own
}

// Start begins a span. One that records is guarded too.
func (t guardedTracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (within context.Context, span trace.Span) {
	defer func() {
		if recover() != nil {
			within, span = ctx, lostSpan{at: trace.SpanContextFromContext(ctx)}
		}
	}()
	if t.bound {
		o = bounded(o)
	}
	started, inner := t.Tracer.Start(ctx, clip.To(name, maxAttribute), o...)
	if !inner.IsRecording() {
		return started, inner
	}
	guarded := guardedSpan{Span: inner}
	return trace.ContextWithSpan(started, guarded), guarded
}

// A lostSpan stands for one whose tracer panicked: it tells nothing, and passes the trace on.
type lostSpan struct {
	noop.Span
	at trace.SpanContext
}

// SpanContext is that of the span it would have been part of.
func (s lostSpan) SpanContext() trace.SpanContext { return s.at }

// A guardedSpan is a span whose panics harm nobody, and whose texts are bounded.
type guardedSpan struct{ trace.Span }

var _ embedded.Span = guardedSpan{}

// End ends the span, which hands it to processors and exporters that are not ours.
func (s guardedSpan) End(o ...trace.SpanEndOption) { protect(func() { s.Span.End(o...) }) }

// AddEvent adds an event.
func (s guardedSpan) AddEvent(name string, o ...trace.EventOption) {
	protect(func() { s.Span.AddEvent(name, o...) })
}

// AddLink adds a link.
func (s guardedSpan) AddLink(l trace.Link) { protect(func() { s.Span.AddLink(l) }) }

// SetStatus sets the status.
func (s guardedSpan) SetStatus(c codes.Code, text string) {
	protect(func() { s.Span.SetStatus(c, clip.To(text, maxAttribute)) })
}

// SetName names the span anew.
func (s guardedSpan) SetName(name string) {
	protect(func() { s.Span.SetName(clip.To(name, maxAttribute)) })
}

// SetAttributes adds attributes, whose texts are cut.
func (s guardedSpan) SetAttributes(list ...attribute.KeyValue) {
	s.setAttributes(maxAttribute, list)
}

func (s guardedSpan) setAttributes(most int, list []attribute.KeyValue) {
	protect(func() {
		clipAll(list, most)
		s.Span.SetAttributes(list...)
	})
}

// clipAll cuts the texts of list.
func clipAll(list []attribute.KeyValue, most int) {
	for i, a := range list {
		if a.Value.Type() == attribute.STRING {
			list[i] = attribute.String(string(a.Key), clip.To(a.Value.AsString(), most))
		}
	}
}
