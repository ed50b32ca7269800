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
	setCount(&u.InputTokens, w.Prompt)
	setCount(&u.OutputTokens, w.Completion)
	setCount(&u.TotalTokens, w.Total)
	setCount(&u.CachedInputTokens, w.CacheHit)
	if w.PromptOf != nil {
		setCount(&u.CachedInputTokens, w.PromptOf.Cached)
		setCount(&u.CacheWriteInputTokens, w.PromptOf.CacheWrite)
	}
	if w.CompletionOf != nil {
		setCount(&u.ReasoningTokens, w.CompletionOf.Reasoning)
	}
}

func setCount(to **int64, raw json.RawMessage) {
	if n, ok := jsonCount(raw); ok {
		count := int64(n)
		*to = &count
	}
}
