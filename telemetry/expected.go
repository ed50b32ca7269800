package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agui-gateway/gateway/errcode"
)

// Expect has counters that alerts are about begin with 0 for these agents. Prometheus sees how a counter moves from one scrape to the
// next, so that the first move of one that was not there before is lost to it: a replica that takes over ten runs at once, or the only
// run in a day that is lost.
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
		for _, event := range []InterruptEvent{InterruptOpened, InterruptAnswered, InterruptCancelled, InterruptExpired} {
			m.interrupts.Add(ctx, 0, with(a, attribute.String("event", string(event))))
		}
		m.takeovers.Add(ctx, 0, with(a))
	}
}
