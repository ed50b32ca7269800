// Package telemetry says what the gateway is doing while it does it: in OpenTelemetry's spans, and in the records that a run's
// own trace is made of, and in [Metrics]. It is the only door to OpenTelemetry's API.
//
// What takes time is a [Step]: a run, a participant's turn, a call of a model or a tool. Whoever does it calls [Begin] before and
// [Step.End] after it, with the context of what it is part of. That one pair becomes a span for the operator's collector, two
// records for whoever follows the run ([WithSink]), and what it took in the metrics of its kind.
//
// Steps have names, ids, durations, token counts and codes. They have no prompts, messages, arguments, results, state or
// headers, and of an error no more than its code: whoever may see telemetry may not read conversations.
//
// Nothing here fails, and without a collector or sink a step costs about as much as an unused span of OpenTelemetry.
package telemetry
