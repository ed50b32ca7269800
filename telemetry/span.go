package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
)

// The options of spans, allocated once: a step without a recorder should be cheap.
var (
	internalSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindInternal)}
	clientSpan   = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}
)

// spanName returns the name of a step's span, one of few. OpenTelemetry's GenAI conventions define most.
func spanName(r *Record) string {
	verb := operation(r.Kind)
	switch r.Kind {
	case KindChoice:
		verb = "choose"
	case KindQuestion, KindStore, KindWebhook:
		verb = string(r.Kind)
	case KindRun, KindTurn, KindModel, KindTool, KindRemote:
	}
	if r.Name == "" {
		return verb
	}
	return verb + " " + r.Name
}

// operation returns the GenAI operation name of the step, or "".
func operation(k Kind) string {
	switch k {
	case KindRun, KindTurn, KindRemote:
		return "invoke_agent"
	case KindModel:
		return "chat"
	case KindTool:
		return "execute_tool"
	case KindChoice, KindQuestion, KindStore, KindWebhook:
	}
	return ""
}

func (t *Telemetry) startSpan(ctx context.Context, r *Record, links []Link) (context.Context, trace.Span) {
	if t.noSpans {
		return ctx, noop.Span{} // ctx has the caller's trace, if there is one, and passes it on
	}
	options := internalSpan
	if r.Kind == KindModel || r.Kind == KindRemote || r.Kind == KindWebhook {
		options = clientSpan
	}
	if more := spanLinks(links); more != nil {
		options = append(options[:len(options):len(options)], trace.WithLinks(more...))
	}
	ctx, span := t.tracer.Start(ctx, spanName(r), options...)
	if span.IsRecording() {
		span.SetAttributes(startAttributes(ctx, r)...)
	}
	return ctx, span
}

// startAttributes returns the attributes that are known at the beginning of a step.
func startAttributes(ctx context.Context, r *Record) []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("agui.step", string(r.Kind))}
	text := func(key, value string) {
		if value != "" {
			list = append(list, attribute.String(key, value))
		}
	}
	text("gen_ai.operation.name", operation(r.Kind))
	if th, ok := ctx.Value(threadKey{}).(Thread); ok {
		text("gen_ai.conversation.id", th.ID)
		if r.Kind == KindRun {
			text("agui.run.id", th.RunID)
		}
	}
	switch r.Kind {
	case KindRun, KindTurn, KindRemote, KindChoice:
		text("gen_ai.agent.name", r.Name)
	case KindTool:
		text("gen_ai.tool.name", r.Name)
		text("gen_ai.tool.call.id", r.ToolCallID)
		text("gen_ai.tool.type", "function")
	case KindStore:
		text("db.operation.name", r.Name)
	case KindModel, KindQuestion, KindWebhook:
	}
	text("agui.subagent_run.id", r.SubagentRunID)
	return list
}

// endSpan ends the span of a step that has ended. The caller holds mu.
func (s *Step) endSpan() {
	if s.span.IsRecording() {
		s.span.SetAttributes(endAttributes(&s.record, s.suspended)...)
		if s.record.Code != "" {
			s.span.SetStatus(codes.Error, "")
		}
	}
	s.span.End()
}

// endAttributes returns the attributes that became known since the beginning.
func endAttributes(r *Record, suspended bool) []attribute.KeyValue {
	var list []attribute.KeyValue
	text := func(key, value string) {
		if value != "" {
			list = append(list, attribute.String(key, value))
		}
	}
	text("error.type", string(r.Code))
	if r.Attempt > 0 {
		list = append(list, attribute.Int("agui.attempt", r.Attempt))
	}
	if suspended {
		list = append(list, attribute.Bool("agui.suspended", true))
	}
	text("agui.message.id", r.MessageID)
	text("agui.interrupt.id", r.InterruptID)
	if r.Kind != KindModel {
		return list
	}
	text("gen_ai.provider.name", r.Provider)
	text("gen_ai.request.model", r.Model)
	if r.FirstToken >= r.Start && r.FirstToken > 0 {
		list = append(list, attribute.Float64("gen_ai.response.time_to_first_chunk",
			float64(r.FirstToken-r.Start)/1000))
	}
	if r.Cost != nil {
		list = append(list, attribute.Float64("agui.cost", *r.Cost))
	}
	return append(list, usageAttributes(r.Usage)...)
}

func usageAttributes(u *agui.TokenUsage) []attribute.KeyValue {
	if u == nil {
		return nil
	}
	var list []attribute.KeyValue
	count := func(key string, n *int64) {
		if n != nil {
			list = append(list, attribute.Int64(key, *n))
		}
	}
	count("gen_ai.usage.input_tokens", u.InputTokens)
	count("gen_ai.usage.output_tokens", u.OutputTokens)
	count("gen_ai.usage.reasoning.output_tokens", u.ReasoningTokens)
	count("gen_ai.usage.cache_read.input_tokens", u.CachedInputTokens)
	count("gen_ai.usage.cache_creation.input_tokens", u.CacheWriteInputTokens)
	return list
}

// Finish notes why a model ended its reply, in the words of its server.
func (s *Step) Finish(reason string) {
	if s != nil && reason != "" && s.span.IsRecording() {
		s.span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons",
			[]string{clip.To(reason, maxName)}))
	}
}

// Address sets the host that a step calls.
func (s *Step) Address(host string) {
	if s != nil && s.span.IsRecording() {
		s.span.SetAttributes(attribute.String("server.address", host))
	}
}

// Outcome notes how a run ended that has not failed: success, interrupt, cancelled or handed_over.
func (s *Step) Outcome(outcome string) {
	if s != nil && s.span.IsRecording() {
		s.span.SetAttributes(attribute.String("agui.run.outcome", outcome))
	}
}
