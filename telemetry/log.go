package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogHandler returns h, which also gets trace_id and span_id for records that are logged with the context of a span.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

// Handle adds the ids.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the ids.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the ids, which are then part of the group like all that a record has.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }

// Logger returns log with ctx as the context for records that are logged without a span: they then refer to its span.
func Logger(ctx context.Context, log *slog.Logger) *slog.Logger {
	if !Traced(ctx) {
		return log
	}
	return slog.New(spanHandler{log.Handler(), ctx})
}

type spanHandler struct {
	slog.Handler
	ctx context.Context
}

// Handle passes the record on.
func (h spanHandler) Handle(ctx context.Context, r slog.Record) error {
	if !Traced(ctx) {
		ctx = trace.ContextWithSpan(ctx, trace.SpanFromContext(h.ctx))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the span.
func (h spanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return spanHandler{h.Handler.WithAttrs(attrs), h.ctx}
}

// WithGroup keeps the span.
func (h spanHandler) WithGroup(name string) slog.Handler {
	return spanHandler{h.Handler.WithGroup(name), h.ctx}
}
