package telemetry

import (
	"encoding/json"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agui-gateway/gateway/internal/clip"
)

// The attribute names for [Step.Content], from the GenAI conventions.
const (
	InputMessages  = "gen_ai.input.messages"
	OutputMessages = "gen_ai.output.messages"
	CallArguments  = "gen_ai.tool.call.arguments"
	CallResult     = "gen_ai.tool.call.result"
)

// maxContent bounds the bytes of each in a span.
const maxContent = 16 << 10

// Content stores the result of value, as JSON, in the span of the step, if [Options.Content] is set.
func (s *Step) Content(name string, value func() any) {
	if s == nil || !s.content {
		return
	}
	protect(func() {
		raw, err := json.Marshal(value())
		if err != nil {
			return
		}
		text := attribute.String(name, clip.To(string(raw), maxContent))
		if guarded, ok := s.span.(guardedSpan); ok {
			guarded.setAttributes(2*maxContent, []attribute.KeyValue{text})
		}
	})
}
