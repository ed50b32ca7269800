package openai

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// A wireUsage is the usage as servers report it; what they do not, stays unknown.
type wireUsage struct {
	Prompt     json.RawMessage `json:"prompt_tokens"`
	Completion json.RawMessage `json:"completion_tokens"`
	Total      json.RawMessage `json:"total_tokens"`
	CacheHit   json.RawMessage `json:"prompt_cache_hit_tokens"` // one provider's name for cached tokens
	PromptOf   *struct {
		Cached     json.RawMessage `json:"cached_tokens"`
		CacheWrite json.RawMessage `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionOf *struct {
		Reasoning json.RawMessage `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// into sets what w knows. Servers that report with every chunk report sums, so the last word counts.
func (w *wireUsage) into(u *agui.TokenUsage) {
	set := func(to **int64, raw json.RawMessage) {
		if n, ok := jsonCount(raw); ok {
			count := int64(n)
			*to = &count
		}
	}
	set(&u.InputTokens, w.Prompt)
	set(&u.OutputTokens, w.Completion)
	set(&u.TotalTokens, w.Total)
	set(&u.CachedInputTokens, w.CacheHit)
	if w.PromptOf != nil {
		set(&u.CachedInputTokens, w.PromptOf.Cached)
		set(&u.CacheWriteInputTokens, w.PromptOf.CacheWrite)
	}
	if w.CompletionOf != nil {
		set(&u.ReasoningTokens, w.CompletionOf.Reasoning)
	}
}
