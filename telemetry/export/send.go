package export

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc/credentials"

	"github.com/agui-gateway/gateway/internal/redact"
)

// newSpanExporter returns an exporter of spans to c. It does not connect yet.
func (c *collector) newSpanExporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	if c.protocol == overGRPC {
		o := []otlptracegrpc.Option{otlptracegrpc.WithEndpointURL(c.endpoint.String()),
			otlptracegrpc.WithHeaders(c.headers), otlptracegrpc.WithTimeout(c.timeout)}
		o = with(o, c.gzip, otlptracegrpc.WithCompressor("gzip"))
		o = with(o, c.tls != nil, otlptracegrpc.WithTLSCredentials(credentials.NewTLS(c.tls)))
		return otlptracegrpc.New(ctx, o...)
	}
	o := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(c.endpoint.String()),
		otlptracehttp.WithHeaders(c.headers), otlptracehttp.WithTimeout(c.timeout)}
	o = with(o, c.gzip, otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	o = with(o, c.tls != nil, otlptracehttp.WithTLSClientConfig(c.tls))
	return otlptracehttp.New(ctx, o...)
}

// newMetricExporter returns an exporter of metrics to c. It does not connect yet.
func (c *collector) newMetricExporter(ctx context.Context,
	t sdkmetric.TemporalitySelector) (sdkmetric.Exporter, error) {
	if c.protocol == overGRPC {
		o := []otlpmetricgrpc.Option{
			otlpmetricgrpc.WithEndpointURL(c.endpoint.String()), otlpmetricgrpc.WithHeaders(c.headers),
			otlpmetricgrpc.WithTimeout(c.timeout),
			otlpmetricgrpc.WithTemporalitySelector(t),
			otlpmetricgrpc.WithAggregationSelector(sdkmetric.DefaultAggregationSelector),
		}
		o = with(o, c.gzip, otlpmetricgrpc.WithCompressor("gzip"))
		o = with(o, c.tls != nil, otlpmetricgrpc.WithTLSCredentials(credentials.NewTLS(c.tls)))
		return otlpmetricgrpc.New(ctx, o...)
	}
	o := []otlpmetrichttp.Option{
		otlpmetrichttp.WithEndpointURL(c.endpoint.String()), otlpmetrichttp.WithHeaders(c.headers),
		otlpmetrichttp.WithTimeout(c.timeout),
		otlpmetrichttp.WithTemporalitySelector(t),
		otlpmetrichttp.WithAggregationSelector(sdkmetric.DefaultAggregationSelector),
	}
	o = with(o, c.gzip, otlpmetrichttp.WithCompression(otlpmetrichttp.GzipCompression))
	o = with(o, c.tls != nil, otlpmetrichttp.WithTLSClientConfig(c.tls))
	return otlpmetrichttp.New(ctx, o...)
}

// with returns options, with one more if it applies.
func with[T any](options []T, applies bool, more T) []T {
	if applies {
		return append(options, more)
	}
	return options
}

// A reporter logs failures of sending at most once a minute, and the recovery.
type reporter struct {
	log     *slog.Logger
	signal  string
	url     string
	secrets []string
	over    context.Context // when done, all waits end

	mu         sync.Mutex
	lastLogged time.Time // of a failure
	failed     int       // requests since then
	away       bool
}

// logInterval is the time between two lines of the log about failures of one signal.
const logInterval = time.Minute

func newReporter(over context.Context, log *slog.Logger, signal string, c *collector) *reporter {
	r := &reporter{log: log, signal: signal, over: over}
	if c != nil {
		r.url = redact.URL(c.endpoint)
		for _, value := range c.headers {
			r.secrets = append(r.secrets, value)
		}
		slices.Sort(r.secrets)
	}
	return r
}

func (r *reporter) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		if r.away {
			r.log.Info("telemetry: sent again", "signal", r.signal, "url", r.url)
		}
		r.away, r.failed, r.lastLogged = false, 0, time.Time{}
		return
	}
	r.away = true
	r.failed++
	if now := time.Now(); now.Sub(r.lastLogged) >= logInterval {
		r.log.Warn("telemetry: not sent, and dropped", "signal", r.signal, "url", r.url, "requests", r.failed, "error",
			redact.Line(err.Error(), r.secrets, nil))
		r.lastLogged, r.failed = now, 0
	}
}

// send calls f, until ctx or r.over is done, and reports its outcome. The goroutine is the SDK's, where a panic of an
// exporter would end the process. It returns no error, because the SDK would log it.
func (r *reporter) send(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.over, cancel)()
	err := errPanicked
	defer func() {
		_ = recover()
		r.report(err)
	}()
	err = f(ctx)
	return nil
}

var errPanicked = errors.New("telemetry: the exporter panicked")

type spanSender struct {
	sdktrace.SpanExporter
	*reporter
}

// ExportSpans sends spans.
func (s spanSender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return s.send(ctx, func(ctx context.Context) error { return s.SpanExporter.ExportSpans(ctx, spans) })
}

type metricSender struct {
	sdkmetric.Exporter
	*reporter
}

// Export sends metrics.
func (m metricSender) Export(ctx context.Context, metrics *metricdata.ResourceMetrics) error {
	return m.send(ctx, func(ctx context.Context) error { return m.Exporter.Export(ctx, metrics) })
}
