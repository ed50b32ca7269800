package teamfile

import "github.com/agui-gateway/gateway/model/openai"

// dialect reads what a model's server does otherwise than OpenAI's.
func (b *builder) dialect(f *fields, o *openai.Options) {
	o.API = openai.API(b.oneOf(f.take("api"), string(openai.ChatCompletions), string(openai.Responses)))
	o.Structured = openai.Structured(b.oneOf(f.take("structured"),
		string(openai.StructuredSchema), string(openai.StructuredObject), string(openai.StructuredNone)))
	o.Echo = openai.Echo(b.oneOf(f.take("echo_reasoning"),
		"on", string(openai.EchoOff), string(openai.EchoReasoningContent), string(openai.EchoReasoning)))
	if o.Echo == "on" {
		o.Echo = openai.EchoReasoningContent
	}
	o.MaxTokensField = b.oneOf(f.take("max_tokens_field"), "max_tokens", "max_completion_tokens")
	if on := b.flag(f.take("accept_unfinished")); on != nil {
		o.AcceptUnfinished = *on
	}
}
