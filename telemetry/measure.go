package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/agui-gateway/gateway/errcode"
)

// The outcomes of a step, as values of the label outcome: one of these, or the code of its failure.
const (
	outcomeOK        = "ok"
	outcomeInterrupt = "interrupt"
)

// measure updates the instruments of a step that has ended. waits means that it ended with a question.
func (m *Metrics) measure(span trace.Span, r Record, agent string, took time.Duration, waits bool) {
	if m.idle() {
		return
	}
	ctx := trace.ContextWithSpan(context.Background(), span) // exemplars lead to the span
	outcome := outcomeOK
	switch {
	case r.Code != "":
		outcome = codeText(r.Code)
	case waits:
		outcome = outcomeInterrupt
	}
	result := attribute.String("outcome", outcome)
	switch r.Kind {
	case KindTurn:
		a, p := m.labels.agent.of(agent), m.labels.participant.of(r.Name)
		m.turns.Add(ctx, 1, with(a, p, result))
		m.turnDuration.Record(ctx, took.Seconds(), with(a, p))
	case KindModel:
		m.modelCall(ctx, r, result, took)
	case KindTool:
		tool := m.labels.tool.of(r.Name)
		m.toolCalls.Add(ctx, 1, with(tool, result))
		m.toolDuration.Record(ctx, took.Seconds(), with(tool))
	case KindRemote:
		m.remoteCalls.Add(ctx, 1, with(m.labels.remote.of(r.Name), result))
	case KindStore:
		m.storeCall(ctx, r.Name, took, r.Code != "" && r.Code != errcode.Cancelled) // the caller is gone
	// counted where the outcome is known; a choice by its model call
	case KindRun, KindChoice, KindQuestion, KindWebhook:
	}
}

func (m *Metrics) modelCall(ctx context.Context, r Record, result attribute.KeyValue, took time.Duration) {
	provider, model := m.labels.provider.of(r.Provider), m.labels.model.of(r.Model)
	of := with(provider, model)
	m.modelCalls.Add(ctx, 1, with(provider, model, result))
	m.modelDuration.Record(ctx, took.Seconds(), of)
	if r.FirstToken != 0 {
		m.modelFirstToken.Record(ctx, float64(max(0, r.FirstToken-r.Start))/1000, of)
	}
	if u := r.Usage; u != nil {
		for _, n := range []struct {
			kind  string
			count *int64
		}{{"input", u.InputTokens}, {"output", u.OutputTokens}, {"cached_input", u.CachedInputTokens},
			{"reasoning", u.ReasoningTokens}} {
			if n.count != nil {
				m.modelTokens.Add(ctx, *n.count, with(provider, model, attribute.String("type", n.kind)))
			}
		}
	}
	if r.Cost != nil {
		m.modelCost.Add(ctx, *r.Cost, of)
	}
}

func (m *Metrics) storeCall(ctx context.Context, operation string, took time.Duration, failed bool) {
	of := with(attribute.String("operation", operation)) // a method of the store's
	m.storeDuration.Record(ctx, took.Seconds(), of)
	if failed {
		m.storeErrors.Add(ctx, 1, of)
	}
}
