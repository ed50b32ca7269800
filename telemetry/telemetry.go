package telemetry

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
)

const scope = "github.com/agui-gateway/gateway"

// Options configures the destinations. The zero value uses OpenTelemetry's global providers.
type Options struct {
	// Tracers make the tracer; nil means the global provider.
	Tracers trace.TracerProvider
	// Meters make the meter; nil means the global provider.
	Meters metric.MeterProvider
	// Content stores messages, arguments and results in spans, for development: they expose conversations.
	Content bool
}

// A Telemetry is the destination of steps. It is safe for concurrent use.
type Telemetry struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	tracer  trace.Tracer
	metrics *Metrics
	content bool
	// There is no receiver of spans, or of metrics.
	noSpans, noMetrics bool
}

// New returns a Telemetry with the given options.
func New(o Options) *Telemetry {
	if o.Tracers == nil {
		o.Tracers = otel.GetTracerProvider()
	}
	if o.Meters == nil {
		o.Meters = otel.GetMeterProvider()
	}
	t := &Telemetry{
		tracers: o.Tracers, meters: o.Meters, tracer: guardedProvider{TracerProvider: o.Tracers}.Tracer(scope),
		metrics: newMetrics(o.Meters), content: o.Content,
	}
	_, t.noSpans = o.Tracers.(nooptrace.TracerProvider)
	_, t.noMetrics = o.Meters.(noopmetric.MeterProvider)
	return t
}

// Off reports whether spans and metrics are discarded, as with OpenTelemetry's no-op providers: callers may then skip
// them. Records of steps still go to their sink. It is false for the global providers, which a program may set later.
func (t *Telemetry) Off() bool { return t.noSpans && t.noMetrics }

// Metrics returns the metrics other than those of steps. A nil Telemetry uses OpenTelemetry's global provider.
func (t *Telemetry) Metrics() *Metrics {
	if t == nil {
		return fallback.metrics
	}
	return t.metrics
}

// fallback uses the global providers, also those that are set later.
var fallback = New(Options{})

// key is the context key of a Telemetry.
type key struct{}

// With returns a context with steps that are reported to t. A nil t changes nothing.
func With(ctx context.Context, t *Telemetry) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, t)
}

// From returns the Telemetry of ctx, or one with OpenTelemetry's global providers; never nil.
func From(ctx context.Context) *Telemetry {
	if t, ok := ctx.Value(key{}).(*Telemetry); ok {
		return t
	}
	return fallback
}
