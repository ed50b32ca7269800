package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agui-gateway/gateway/errcode"
)

// Expect initialises the counters used by alerts to 0 for these agents. Prometheus compares scrapes and misses the
// first increment of a new counter, for example of a day's only lost run.
func (m *Metrics) Expect(agents ...string) {
	ctx := context.Background()
	for _, name := range agents {
		a := m.labels.agent.of(name)
		for _, outcome := range []string{"success", "interrupt", "cancelled", "error"} {
			m.runs.Add(ctx, 0, with(a, attribute.String("outcome", outcome)))
		}
		for _, code := range []errcode.Code{errcode.RunLost, errcode.Internal} {
			m.runErrors.Add(ctx, 0, with(a, attribute.String("code", string(code))))
		}
		for _, event := range []InterruptEvent{InterruptOpened, InterruptAnswered, InterruptCancelled,
			InterruptExpired} {
			m.interrupts.Add(ctx, 0, with(a, attribute.String("event", string(event))))
		}
		m.takeovers.Add(ctx, 0, with(a))
	}
}
