package model

import (
	"errors"
	"math"

	"github.com/agui-gateway/gateway/agui"
)

// A Price is what a million tokens of a model cost, in whatever currency its operator reckons in. Tokens of reasoning
// are among those that a model writes.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	// CachedInput is for those of the input that the model's server had read before; nil means Input.
	CachedInput *float64 `json:"cached_input"`
}

// Check returns the problem of a price. It must be positive.
func (p Price) Check() error {
	for _, amount := range []*float64{&p.Input, &p.Output, p.CachedInput} {
		if amount != nil && (*amount < 0 || math.IsNaN(*amount) || math.IsInf(*amount, 0)) {
			return errors.New("a price is negative or no number")
		}
	}
	return nil
}

// Cost returns what a call costs that used u. It is nil if that is not known: without a price, and where the server
// does not tell how many tokens there were.
func (p *Price) Cost(u agui.TokenUsage) *float64 {
	if p == nil || u.InputTokens == nil || u.OutputTokens == nil {
		return nil
	}
	input, cached, cachedPrice := *u.InputTokens, int64(0), p.Input
	if u.CachedInputTokens != nil {
		cached = min(*u.CachedInputTokens, input)
	}
	if p.CachedInput != nil {
		cachedPrice = *p.CachedInput
	}
	const million = 1e6
	cost := (float64(input-cached)*p.Input + float64(cached)*cachedPrice + float64(*u.OutputTokens)*p.Output) / million
	cost = rounded(cost)
	return &cost
}

// rounded leaves a cost without what binary fractions add to it, far behind what anybody pays.
func rounded(cost float64) float64 {
	const places = 1e12
	return math.Round(cost*places) / places
}
