package a2a

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A2A has no usage. Agents report it in metadata, in the words of the model's server: under usage, or under
// adk_usage_metadata where they are made with Google's kit.
var usageMembers = []string{"usage", "adk_usage_metadata"}

// usageIn is the usage that metadata tells of; nil if it does not.
func usageIn(m metadata) *agui.TokenUsage {
	for _, name := range usageMembers {
		var body map[string]json.RawMessage
		if raw := m[name]; raw == nil || exact.Unmarshal(raw, &body) != nil {
			continue
		}
		u := agui.TokenUsage{
			InputTokens:  count(body, "inputTokens", "input_tokens", "prompt_tokens", "promptTokenCount"),
			OutputTokens: count(body, "outputTokens", "output_tokens", "completion_tokens", "candidatesTokenCount"),
			TotalTokens:  count(body, "totalTokens", "total_tokens", "totalTokenCount"),
		}
		_ = exact.Unmarshal(body["model"], &u.Model) // any other value names none
		if u.InputTokens != nil || u.OutputTokens != nil || u.TotalTokens != nil {
			return &u
		}
	}
	return nil
}

// count is the first of the members that is a count.
func count(body map[string]json.RawMessage, names ...string) *int64 {
	for _, name := range names {
		var n int64
		if raw := body[name]; raw != nil && exact.Unmarshal(raw, &n) == nil && n >= 0 {
			return &n
		}
	}
	return nil
}
