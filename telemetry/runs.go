package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agui-gateway/gateway/errcode"
)

// RunEnded counts an ended run; the attempt that wrote the end calls it. took is the time since its first start.
func (m *Metrics) RunEnded(ctx context.Context, agent, outcome string, code errcode.Code, took time.Duration) {
	if m.idle() {
		return
	}
	a, o := m.labels.agent.of(agent), attribute.String("outcome", outcome)
	m.runs.Add(ctx, 1, with(a, o))
	m.runDuration.Record(ctx, took.Seconds(), with(a, o))
	if outcome == "error" {
		m.runErrors.Add(ctx, 1, with(a, attribute.String("code", codeText(code))))
	}
}

// RunHandedOver counts an attempt that has left its run to another replica.
func (m *Metrics) RunHandedOver(ctx context.Context, agent string) {
	m.runs.Add(ctx, 1, with(m.labels.agent.of(agent), attribute.String("outcome", "handed_over")))
}

// RunTakenOver counts a run that this replica continues.
func (m *Metrics) RunTakenOver(ctx context.Context, agent string) {
	m.takeovers.Add(ctx, 1, with(m.labels.agent.of(agent)))
}

// FirstEvent measures how long the caller of a run waited for its first event.
func (m *Metrics) FirstEvent(ctx context.Context, agent string, after time.Duration) {
	if m.idle() {
		return
	}
	m.firstEvent.Record(ctx, after.Seconds(), with(m.labels.agent.of(agent)))
}

// FirstText measures how long the caller of a run waited for the first text.
func (m *Metrics) FirstText(ctx context.Context, agent string, after time.Duration) {
	if m.idle() {
		return
	}
	m.firstText.Record(ctx, after.Seconds(), with(m.labels.agent.of(agent)))
}

// Logged counts events that the store has taken into a log. It is called once for a batch.
func (m *Metrics) Logged(ctx context.Context, events, bytes int) {
	m.logEvents.Add(ctx, int64(events))
	m.logBytes.Add(ctx, int64(bytes))
}

// Sent counts events that a reader was sent. It is called once for a batch.
func (m *Metrics) Sent(ctx context.Context, events, bytes int) {
	m.sentEvents.Add(ctx, int64(events))
	m.sentBytes.Add(ctx, int64(bytes))
}

// An InterruptEvent is an event of a question.
type InterruptEvent string

// What happens to questions. Each is opened once, and then at most one of the others.
const (
	InterruptOpened    InterruptEvent = "opened"
	InterruptAnswered  InterruptEvent = "answered"
	InterruptCancelled InterruptEvent = "cancelled"
	InterruptExpired   InterruptEvent = "expired"
)

// Interrupts counts n questions to which something happened.
func (m *Metrics) Interrupts(ctx context.Context, agent string, e InterruptEvent, n int) {
	if m.idle() {
		return
	}
	if n > 0 {
		m.interrupts.Add(ctx, int64(n), with(m.labels.agent.of(agent), attribute.String("event", string(e))))
	}
}

// InterruptWait measures how long a person took to answer.
func (m *Metrics) InterruptWait(ctx context.Context, agent string, waited time.Duration) {
	m.interruptWait.Record(ctx, waited.Seconds(), with(m.labels.agent.of(agent)))
}
