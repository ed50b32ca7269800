package telemetry

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
)

// BenchmarkRun is all the measuring in a run of 200 events, without the run: its start and end, a turn, a model's call,
// ten batches that are logged and sent, and as many calls of the store. It shows the cost of counting, for any other
// load.
func BenchmarkRun(b *testing.B) {
	for name, o := range map[string]Options{
		"metrics=off": {Meters: noop.NewMeterProvider()},
		"metrics=on":  {Meters: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))},
	} {
		b.Run(name, func(b *testing.B) {
			t := New(o)
			m := t.Metrics()
			b.ReportAllocs()
			for b.Loop() {
				ctx, run := Begin(With(context.Background(), t), Record{Kind: KindRun, Name: "travel"})
				_, turn := Begin(ctx, Record{Kind: KindTurn, Name: "flights"})
				_, call := Begin(ctx, Record{Kind: KindModel, Name: "small", Provider: "p", Model: "small"})
				m.FirstEvent(ctx, "travel", time.Millisecond)
				m.FirstText(ctx, "travel", time.Millisecond)
				for range 10 {
					t.Measure(ctx, Record{Kind: KindStore, Name: "append"}).End(nil)
					m.Logged(ctx, 20, 2000)
					m.Sent(ctx, 20, 2000)
				}
				call.End(nil)
				turn.End(nil)
				m.RunEnded(ctx, "travel", "success", "", time.Second)
				run.End(nil)
			}
		})
	}
}
