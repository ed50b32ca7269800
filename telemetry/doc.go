// Package telemetry reports the gateway's activity: in OpenTelemetry's spans, in the records of a run's trace, and in
// [Metrics]. Only this package uses OpenTelemetry's API.
//
// An operation that takes time is a [Step]: a run, a participant's turn, a call of a model or a tool. Its code calls
// [Begin] before and [Step.End] after it, with the context of the enclosing operation. This pair becomes a span for the
// operator's collector, two records for followers of the run ([WithSink]), and a duration in metrics.
//
// Steps have names, ids, durations, token counts and codes; no state or headers, and of an error only its code. Only
// [Options.Content], for development, puts messages, arguments and results into spans: they expose conversations.
//
// The package never fails, and without a collector or sink a step costs about as much as an unused span of
// OpenTelemetry.
package telemetry
