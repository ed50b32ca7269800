package telemetry

import (
	"context"
	"runtime"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// QueueWait measures how long a request has waited for a thread or for room, with any outcome.
func (m *Metrics) QueueWait(ctx context.Context, waited time.Duration) {
	m.queueWait.Record(ctx, waited.Seconds())
}

// Limit counts something that was refused because a limit was reached. The name is one of a fixed list.
func (m *Metrics) Limit(ctx context.Context, name string) {
	m.limits.Add(ctx, 1, with(attribute.String("limit", name)))
}

// Delivery counts an attempt to deliver a notice. The outcome is one of a fixed list.
func (m *Metrics) Delivery(ctx context.Context, outcome string) {
	m.deliveries.Add(ctx, 1, with(attribute.String("outcome", outcome)))
}

// A Load is a gateway's current load.
type Load struct {
	OpenRuns, OpenReaders, QueuedRuns int
	MaxRuns                           int // 0 is any number
}

// WatchLoad observes load whenever metrics are collected, until stop is called.
func (m *Metrics) WatchLoad(load func() Load) (stop func()) {
	gauge := func(name, unit, text string) metric.Int64ObservableGauge {
		return reportError(m.meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(text)))
	}
	runs := gauge("gateway.open_runs", "{run}", "Runs that are live on this replica.")
	readers := gauge("gateway.open_readers", "{reader}", "Readers of runs and threads on this replica.")
	queued := gauge("gateway.queued_runs", "{request}", "Requests that wait here for a thread or for room.")
	most := gauge("gateway.max_runs", "{run}", "How many runs may be live on this replica; absent without a limit.")
	registered := reportError(m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		l := load()
		o.ObserveInt64(runs, int64(l.OpenRuns))
		o.ObserveInt64(readers, int64(l.OpenReaders))
		o.ObserveInt64(queued, int64(l.QueuedRuns))
		if l.MaxRuns > 0 {
			o.ObserveInt64(most, int64(l.MaxRuns))
		}
		return nil
	}, runs, readers, queued, most))
	return func() { reportError(struct{}{}, registered.Unregister()) }
}

// TellBuild exports the program's version as a metric.
func (m *Metrics) TellBuild(version, commit string) {
	info := reportError(m.meter.Int64ObservableGauge("gateway.build_info",
		metric.WithDescription("The program: its version, commit and Go version. It is always 1.")))
	attrs := with(attribute.String("version", version), attribute.String("commit", commit),
		attribute.String("go_version", runtime.Version()))
	reportError(m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(info, 1, attrs)
		return nil
	}, info))
}
