package openai

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// A wireUsage is the usage as servers report it: chat completions under the first names, responses under the second.
// What they do not report, stays unknown.
type wireUsage struct {
	Prompt       json.RawMessage `json:"prompt_tokens"`
	Input        json.RawMessage `json:"input_tokens"`
	Completion   json.RawMessage `json:"completion_tokens"`
	Output       json.RawMessage `json:"output_tokens"`
	Total        json.RawMessage `json:"total_tokens"`
	CacheHit     json.RawMessage `json:"prompt_cache_hit_tokens"` // one provider's name for cached tokens
	PromptOf     inputUsage      `json:"prompt_tokens_details"`
	InputOf      inputUsage      `json:"input_tokens_details"`
	CompletionOf outputUsage     `json:"completion_tokens_details"`
	OutputOf     outputUsage     `json:"output_tokens_details"`
}

type inputUsage struct {
	Cached     json.RawMessage `json:"cached_tokens"`
	CacheWrite json.RawMessage `json:"cache_write_tokens"`
}

type outputUsage struct {
	Reasoning json.RawMessage `json:"reasoning_tokens"`
}

// into sets what w knows. Servers that report with every chunk report sums, so the last word counts.
func (w *wireUsage) into(u *agui.TokenUsage) {
	for _, count := range []struct {
		to  **int64
		raw json.RawMessage
	}{
		{&u.InputTokens, w.Input}, {&u.InputTokens, w.Prompt},
		{&u.OutputTokens, w.Output}, {&u.OutputTokens, w.Completion},
		{&u.TotalTokens, w.Total},
		{&u.CachedInputTokens, w.CacheHit},
		{&u.CachedInputTokens, w.PromptOf.Cached}, {&u.CachedInputTokens, w.InputOf.Cached},
		{&u.CacheWriteInputTokens, w.PromptOf.CacheWrite}, {&u.CacheWriteInputTokens, w.InputOf.CacheWrite},
		{&u.ReasoningTokens, w.CompletionOf.Reasoning}, {&u.ReasoningTokens, w.OutputOf.Reasoning},
	} {
		if n, ok := jsonCount(count.raw); ok {
			*count.to = new(int64(n))
		}
	}
}
