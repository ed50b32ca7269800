package telemetry

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
)

// scope names the instrumentation in what it sends.
const scope = "github.com/agui-gateway/gateway"

// Options say where telemetry goes. The zero value uses OpenTelemetry's global providers, which do nothing until a program
// sets them.
type Options struct {
	// Tracers make the tracer; nil means the global provider.
	Tracers trace.TracerProvider
	// Meters make the meter; nil means the global provider.
	Meters metric.MeterProvider
	// Content puts what people and models say into spans: messages, replies, and the arguments and results of tools. It is for
	// development, because whoever may see spans then reads conversations.
	Content bool
}

// A Telemetry is where steps are told. It is safe for concurrent use.
type Telemetry struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	tracer  trace.Tracer
	metrics *Metrics
	content bool
	// Nobody takes spans, and nobody metrics.
	noSpans, noMetrics bool
}

// New returns a Telemetry that works as o says.
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

// Off reports whether spans and metrics go nowhere, as with OpenTelemetry's providers that do nothing: then who has a choice need not tell of
// them. Records of steps go to their sink all the same. It is not known of the global providers, which a program may set later.
func (t *Telemetry) Off() bool { return t.noSpans && t.noMetrics }

// Metrics returns what counts and times what is no step. A nil Telemetry has OpenTelemetry's global provider.
func (t *Telemetry) Metrics() *Metrics {
	if t == nil {
		return fallback.metrics
	}
	return t.metrics
}

// fallback uses the global providers, also those that are set later.
var fallback = New(Options{})

// key is where a context carries its Telemetry.
type key struct{}

// With returns a context whose steps are told to t. A nil t changes nothing.
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
