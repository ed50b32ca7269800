package export

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
)

// Options complement the variables.
type Options struct {
	// Scrape enables [Export.Metrics].
	Scrape bool
	// Service is the name of the service if no variable has one; empty means agui-gateway.
	Service string
	// Version is that of the service; empty is omitted.
	Version string
	// Log gets a line when sending fails, at most once a minute and signal; nil means slog.Default.
	Log *slog.Logger
}

// An Export is telemetry that is being sent or shown. It is safe for concurrent use.
type Export struct {
	settings *Settings
	tracers  trace.TracerProvider
	meters   metric.MeterProvider
	senders  []sender
	scrape   http.Handler
	giveUp   context.CancelFunc // cancels all pending sends
}

// A sender is the part of an Export that sends spans, or sends and shows metrics.
type sender interface {
	ForceFlush(ctx context.Context) error
	Shutdown(ctx context.Context) error
}

// Start starts the exporters that s and o configure, without waiting for a connection. The caller has to call Close on
// the Export, even if ctx is done before.
//
// Errors of OpenTelemetry's libraries go to the log of the most recently started Export.
func (s *Settings) Start(ctx context.Context, o Options) (*Export, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	over, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	e := &Export{settings: s, tracers: nooptrace.NewTracerProvider(), meters: noopmetric.NewMeterProvider(),
		giveUp: giveUp}
	if !s.Sends() && !o.Scrape {
		return e, nil
	}
	otel.SetLogger(logr.Discard()) // it would quote variables, which may hold credentials
	otel.SetErrorHandler(otel.ErrorHandlerFunc(newReporter(over, o.Log, "sdk", nil).report))
	about, err := s.resource(ctx, o)
	if err == nil && s.traces != nil {
		err = e.startTraces(ctx, about, newReporter(over, o.Log, "traces", s.traces))
	}
	if err == nil && (s.metrics != nil || o.Scrape) {
		err = e.startMetrics(ctx, about, newReporter(over, o.Log, "metrics", s.metrics), o)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// resource returns the attributes of the process. They omit the command line, which may contain credentials.
func (s *Settings) resource(ctx context.Context, o Options) (*resource.Resource, error) {
	attributes := []attribute.KeyValue{
		attribute.String("service.name", cmp.Or(o.Service, "agui-gateway")),
		attribute.String("service.instance.id", rand.Text()), // distinguishes replicas at a shared collector
	}
	if o.Version != "" {
		attributes = append(attributes, attribute.String("service.version", o.Version))
	}
	attributes = append(attributes, s.attributes...) // the last of a name counts
	if s.service != "" {
		attributes = append(attributes, attribute.String("service.name", s.service))
	}
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(attributes...))
}

func (e *Export) startTraces(ctx context.Context, about *resource.Resource, r *reporter) error {
	s := e.settings
	exporter, err := s.traces.newSpanExporter(ctx)
	if err != nil {
		return err
	}
	limits := sdktrace.SpanLimits{
		AttributeValueLengthLimit: s.valueLength, AttributeCountLimit: sdktrace.DefaultAttributeCountLimit,
		EventCountLimit:             sdktrace.DefaultEventCountLimit,
		LinkCountLimit:              sdktrace.DefaultLinkCountLimit,
		AttributePerEventCountLimit: sdktrace.DefaultAttributePerEventCountLimit,
		AttributePerLinkCountLimit:  sdktrace.DefaultAttributePerLinkCountLimit,
	}
	// The provider does not shut its processor down if the context is done before.
	spans := sdktrace.NewBatchSpanProcessor(spanSender{exporter, r}, sdktrace.WithMaxQueueSize(s.queue),
		sdktrace.WithMaxExportBatchSize(s.batch),
		sdktrace.WithBatchTimeout(s.delay), sdktrace.WithExportTimeout(s.patience))
	e.tracers = sdktrace.NewTracerProvider(
		sdktrace.WithResource(about), sdktrace.WithSampler(s.sampler), sdktrace.WithRawSpanLimits(limits),
		sdktrace.WithSpanProcessor(spans),
	)
	e.senders = append(e.senders, spans)
	return nil
}

func (e *Export) startMetrics(ctx context.Context, about *resource.Resource, r *reporter, o Options) error {
	s := e.settings
	options := []sdkmetric.Option{
		sdkmetric.WithResource(about), sdkmetric.WithView(views()...), sdkmetric.WithCardinalityLimit(maxSeries),
		sdkmetric.WithExemplarFilter(exemplar.AlwaysOffFilter), // they would show the attributes that the views drop
	}
	if o.Scrape {
		reader, handler, err := newScrape(o.Log)
		if err != nil {
			return err
		}
		e.scrape = handler
		options = append(options, sdkmetric.WithReader(reader))
	}
	if s.metrics != nil {
		exporter, err := s.metrics.newMetricExporter(ctx, s.temporality)
		if err != nil {
			return err
		}
		reader := sdkmetric.NewPeriodicReader(metricSender{exporter, r}, sdkmetric.WithInterval(s.interval),
			sdkmetric.WithTimeout(s.timeout))
		options = append(options, sdkmetric.WithReader(reader))
	}
	meters := sdkmetric.NewMeterProvider(options...)
	e.meters, e.senders = meters, append(e.senders, meters)
	return nil
}

// Tracers returns the provider of spans, which are dropped unless traces are sent.
func (e *Export) Tracers() trace.TracerProvider { return e.tracers }

// Meters returns the provider of instruments, which count nothing unless metrics are sent or scraped.
func (e *Export) Meters() metric.MeterProvider { return e.meters }

// Metrics shows the metrics as Prometheus reads them, nil unless [Options.Scrape] was set.
func (e *Export) Metrics() http.Handler { return e.scrape }

// Flush sends what waits, and returns when it is sent or dropped, or ctx is done.
func (e *Export) Flush(ctx context.Context) error {
	return e.each(ctx, sender.ForceFlush)
}

// Close sends pending data and stops. When ctx is done it gives up and returns an error.
func (e *Export) Close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, e.giveUp)
	defer e.giveUp()
	defer stop()
	return e.each(ctx, sender.Shutdown)
}

// each calls all senders concurrently, because a hanging collector of one would use up the time of the other.
func (e *Export) each(ctx context.Context, call func(sender, context.Context) error) error {
	var working sync.WaitGroup
	failed := make([]error, len(e.senders))
	for i, s := range e.senders {
		working.Go(func() { failed[i] = call(s, ctx) })
	}
	working.Wait()
	return errors.Join(failed...)
}
