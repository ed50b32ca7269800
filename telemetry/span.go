package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// spanName is the name of a step's span: few different ones, so that a collector can group by it.
func spanName(r Record) string { return string(r.Kind) + " " + r.Name }

// endSpan ends the span of a step that has ended.
func endSpan(span trace.Span, r Record) {
	if r.Code != "" {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", string(r.Code)))
	}
	span.End()
}
