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

// maxAttribute is the length limit in bytes of attributes other than those of [Options.Content].
const maxAttribute = 1 << 10

// protect calls f and recovers from a panic: observers of a run must not end it.
func protect(f func()) {
	defer func() { _ = recover() }()
	f()
}

// A guardedProvider makes tracers that recover from panics and bound texts, if bound also initial attributes.
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

// boundOptions is o with shorter texts.
func boundOptions(o []trace.SpanStartOption) []trace.SpanStartOption {
	config := trace.NewSpanStartConfig(o...)
	list := config.Attributes()
	clipAll(list, maxAttribute)
	options := []trace.SpanStartOption{trace.WithAttributes(list...), trace.WithLinks(config.Links()...),
		trace.WithSpanKind(config.SpanKind())}
	if config.NewRoot() {
		options = append(options, trace.WithNewRoot())
	}
	if at := config.Timestamp(); !at.IsZero() {
		options = append(options, trace.WithTimestamp(at))
	}
	return options
}

// Start begins a span. One that records is guarded too.
func (t guardedTracer) Start(ctx context.Context, name string,
	o ...trace.SpanStartOption) (within context.Context, span trace.Span) {
	defer func() {
		if recover() != nil {
			within, span = ctx, lostSpan{at: trace.SpanContextFromContext(ctx)}
		}
	}()
	if t.bound {
		o = boundOptions(o)
	}
	started, inner := t.Tracer.Start(ctx, clip.To(name, maxAttribute), o...)
	if !inner.IsRecording() {
		return started, inner
	}
	guarded := guardedSpan{Span: inner}
	return trace.ContextWithSpan(started, guarded), guarded
}

// A lostSpan replaces a span after a panic of its tracer: it records nothing and propagates the trace.
type lostSpan struct {
	noop.Span
	at trace.SpanContext
}

// SpanContext is that of the span it would have been part of.
func (s lostSpan) SpanContext() trace.SpanContext { return s.at }

// A guardedSpan is a span that recovers from panics and bounds the length of texts.
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

// SetName renames the span.
func (s guardedSpan) SetName(name string) {
	protect(func() { s.Span.SetName(clip.To(name, maxAttribute)) })
}

// SetAttributes adds attributes with truncated texts.
func (s guardedSpan) SetAttributes(list ...attribute.KeyValue) {
	s.setAttributes(maxAttribute, list)
}

func (s guardedSpan) setAttributes(most int, list []attribute.KeyValue) {
	protect(func() {
		clipAll(list, most)
		s.Span.SetAttributes(list...)
	})
}

func clipAll(list []attribute.KeyValue, most int) {
	for i, a := range list {
		if a.Value.Type() == attribute.STRING {
			list[i] = attribute.String(string(a.Key), clip.To(a.Value.AsString(), most))
		}
	}
}
