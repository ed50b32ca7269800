package teamfile

import "github.com/agui-gateway/gateway/gateway"

// typedAnswers reads whether messages are tried as answers, and which model is asked what they mean.
func (b *builder) typedAnswers(n *node) *gateway.TypedAnswers {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		if on := b.flag(n); on != nil && *on {
			return &gateway.TypedAnswers{}
		}
		return nil
	}
	f := b.fields(n, "typed_answers")
	defer f.end()
	return &gateway.TypedAnswers{Model: b.model(f.take("model"), n)}
}
