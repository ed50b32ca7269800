package agui

import (
	"encoding/json"
	"math"
)

// RunStarted opens a run. It is the first event of every run.
type RunStarted struct {
	Base
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	// ProtocolVersion is the server's own version; a 1.0 server always sends it.
	ProtocolVersion string `json:"protocolVersion,omitempty"`
	ParentRunID     string `json:"parentRunId,omitempty"`
	// Input echoes the request, complete or not at all.
	Input *RunAgentInput `json:"input,omitempty"`
}

// RunFinished ends a run without an error: done, with a question, or stopped.
type RunFinished struct {
	Base
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	// Result is never JSON null.
	Result json.RawMessage `json:"result,omitempty" null:"absent"`
	// Outcome says how it ended; nil means success.
	Outcome *Outcome     `json:"outcome,omitempty" null:"absent"`
	Usage   []TokenUsage `json:"usage,omitempty"`
}

// RunError ends a run that failed. Whatever is open is abandoned.
type RunError struct {
	Base
	// Message is for people.
	Message string       `json:"message"`
	Code    string       `json:"code,omitempty"`
	Usage   []TokenUsage `json:"usage,omitempty"`
}

// StepStarted opens a named phase of a run. Steps are keyed by attribution and name.
type StepStarted struct {
	Tagged
	StepName string `json:"stepName"`
}

// StepFinished closes a step, with the attribution it was opened with.
type StepFinished struct {
	Tagged
	StepName string `json:"stepName"`
}

// TokenUsage counts what one model of one provider used during a run. Unknown counts are nil, never zero.
type TokenUsage struct {
	Provider              string `json:"provider,omitempty"`
	Model                 string `json:"model,omitempty"`
	InputTokens           *int64 `json:"inputTokens,omitempty"`           // all prompt tokens, cached ones included
	OutputTokens          *int64 `json:"outputTokens,omitempty"`          // all generated tokens, reasoning included
	TotalTokens           *int64 `json:"totalTokens,omitempty"`           // input + output
	ReasoningTokens       *int64 `json:"reasoningTokens,omitempty"`       // part of output
	CachedInputTokens     *int64 `json:"cachedInputTokens,omitempty"`     // part of input
	CacheWriteInputTokens *int64 `json:"cacheWriteInputTokens,omitempty"` // part of input
}

// SumTokens adds up the tokens that models have read and written. The sum stops at the greatest number there is.
func SumTokens(usage []TokenUsage) (n int64) {
	for _, u := range usage {
		counts := []*int64{u.InputTokens, u.OutputTokens}
		if u.TotalTokens != nil {
			counts = []*int64{u.TotalTokens}
		}
		for _, c := range counts {
			if c != nil && *c > 0 {
				n += min(*c, math.MaxInt64-n)
			}
		}
	}
	return n
}
