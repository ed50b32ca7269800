package telemetry

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

// Metrics counts and times the gateway's work with instruments of OpenTelemetry's metric API. docs/metrics.md lists
// them as Prometheus scrapes them. Label values are names from the configuration, or words of a fixed list; clients
// cannot choose any. Metrics is safe for concurrent use and never fails.
//
// Steps measure themselves: [Step.End] updates the instruments of its kind. The methods of Metrics are for everything
// else.
type Metrics struct {
	meter  metric.Meter
	labels labels

	runs                  metric.Int64Counter
	runDuration           metric.Float64Histogram
	runErrors             metric.Int64Counter
	firstEvent, firstText metric.Float64Histogram
	takeovers             metric.Int64Counter

	logEvents, logBytes   metric.Int64Counter
	sentEvents, sentBytes metric.Int64Counter

	interrupts    metric.Int64Counter
	interruptWait metric.Float64Histogram

	turns           metric.Int64Counter
	turnDuration    metric.Float64Histogram
	modelCalls      metric.Int64Counter
	modelDuration   metric.Float64Histogram
	modelFirstToken metric.Float64Histogram
	modelTokens     metric.Int64Counter
	modelCost       metric.Float64Counter
	toolCalls       metric.Int64Counter
	toolDuration    metric.Float64Histogram
	remoteCalls     metric.Int64Counter

	storeDuration metric.Float64Histogram
	storeErrors   metric.Int64Counter
	queueWait     metric.Float64Histogram
	limits        metric.Int64Counter
	deliveries    metric.Int64Counter
}

// idle reports whether metrics have no reader, so that labels need not be made.
func (m *Metrics) idle() bool { return !m.turns.Enabled(context.Background()) }

// The bounds of histograms, in seconds: stores take milliseconds, first tokens seconds, turns minutes, people hours.
var (
	storeBounds  = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
	firstBounds  = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60}
	workBounds   = []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600}
	peopleBounds = []float64{1, 5, 15, 30, 60, 300, 900, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600,
		168 * 3600}
)

func newMetrics(p metric.MeterProvider) *Metrics {
	b := builder{p.Meter(scope)}
	return &Metrics{
		meter:  b.meter,
		labels: newLabels(),

		runs:        b.counter("gateway.runs", "{run}", "Runs that ended, and attempts that were handed over."),
		runDuration: b.seconds("gateway.run.duration", "From the first start of a run to its end.", workBounds),
		runErrors:   b.counter("gateway.run.errors", "{run}", "Runs that ended in an error, by its code."),
		firstEvent: b.seconds("gateway.first_event",
			"From the start of a run to the first event that its caller is sent.", firstBounds),
		firstText: b.seconds("gateway.first_text",
			"From the start of a run to the first text that its caller is sent.", firstBounds),
		takeovers: b.counter("gateway.takeovers", "{run}", "Runs of other attempts that this replica went on with."),

		logEvents:  b.counter("gateway.log.events", "{event}", "Events that the store has taken into logs."),
		logBytes:   b.counter("gateway.log.bytes", "By", "Bytes of these events."),
		sentEvents: b.counter("gateway.sent.events", "{event}", "Events sent to readers."),
		sentBytes:  b.counter("gateway.sent.bytes", "By", "Bytes of these events."),

		interrupts: b.counter("gateway.interrupts", "{interrupt}",
			"Questions to people that were opened, answered, cancelled, or expired."),
		interruptWait: b.seconds("gateway.interrupt.wait", "From when a question was asked to when its answer came.",
			peopleBounds),

		turns:        b.counter("gateway.turns", "{turn}", "Turns of participants, each try counted."),
		turnDuration: b.seconds("gateway.turn.duration", "How long a try of a turn took.", workBounds),
		modelCalls:   b.counter("gateway.model.calls", "{call}", "Calls of models, each with its retries."),
		modelDuration: b.seconds("gateway.model.duration", "How long a call of a model took, with its retries.",
			workBounds),
		modelFirstToken: b.seconds("gateway.model.first_token",
			"From the start of a call of a model to the first that it said.", firstBounds),
		modelTokens:  b.counter("gateway.model.tokens", "{token}", "Tokens that models read and wrote."),
		modelCost:    b.amount("gateway.model.cost", "What calls of models cost, in the currency of the prices."),
		toolCalls:    b.counter("gateway.tool.calls", "{call}", "Calls of tools on this side."),
		toolDuration: b.seconds("gateway.tool.duration", "How long a call of a tool took.", workBounds),
		remoteCalls:  b.counter("gateway.remote.calls", "{call}", "Runs of agents on other servers."),

		storeDuration: b.seconds("gateway.store.duration", "How long a call of the store took.", storeBounds),
		storeErrors:   b.counter("gateway.store.errors", "{call}", "Calls of the store that failed."),
		queueWait: b.seconds("gateway.queue.wait", "How long requests waited for a thread or for room.",
			workBounds),
		limits: b.counter("gateway.limits", "{refusal}", "Refusals because a limit was reached."),
		deliveries: b.counter("gateway.webhook.deliveries", "{delivery}",
			"Attempts to deliver a notice to the webhook's receiver."),
	}
}

// A builder makes instruments. OpenTelemetry returns a usable one beside an error, so the error is only logged.
type builder struct{ meter metric.Meter }

func reportError[T any](instrument T, err error) T {
	if err != nil {
		otel.Handle(err)
	}
	return instrument
}

func (b builder) counter(name, unit, text string) metric.Int64Counter {
	return reportError(b.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(text)))
}

func (b builder) amount(name, text string) metric.Float64Counter {
	return reportError(b.meter.Float64Counter(name, metric.WithDescription(text)))
}

func (b builder) seconds(name, text string, bounds []float64) metric.Float64Histogram {
	return reportError(b.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(text),
		metric.WithExplicitBucketBoundaries(bounds...)))
}
