package export

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// Bounds of scrapes: concurrent ones, and the duration of each.
const (
	maxScrapes    = 4
	scrapeTimeout = 10 * time.Second
)

// newScrape returns a reader of metrics, and a handler that serves them with those of the Go runtime and process.
func newScrape(log *slog.Logger) (sdkmetric.Reader, http.Handler, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := registry.Register(c); err != nil {
			return nil, nil, fmt.Errorf("export: %w", err)
		}
	}
	reader, err := otelprometheus.New(
		otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo(),
		otelprometheus.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("export: %w", err)
	}
	return reader, promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError, // what can be shown is, and the rest is in the log
		EnableOpenMetrics:   true,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTimeout,
	}), nil
}
