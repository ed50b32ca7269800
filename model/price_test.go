package model_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

func ExamplePrice() {
	cached := 0.1
	p := &model.Price{Input: 0.4, Output: 1.6, CachedInput: &cached}
	count := func(n int64) *int64 { return &n }
	u := agui.TokenUsage{InputTokens: count(2000), CachedInputTokens: count(1500), OutputTokens: count(300), ReasoningTokens: count(200)}
	fmt.Println(*p.Cost(u))
	fmt.Println(p.Cost(agui.TokenUsage{OutputTokens: count(300)}) == nil) // unknown input tokens
	// Output:
	// 0.00083
	// true
}

func TestCost(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	f := func(x float64) *float64 { return &x }
	for name, tt := range map[string]struct {
		price *model.Price
		usage agui.TokenUsage
		want  *float64
	}{
		"without a price nothing is known":   {nil, agui.TokenUsage{InputTokens: n(1), OutputTokens: n(1)}, nil},
		"without counts nothing is known":    {&model.Price{Input: 1}, agui.TokenUsage{}, nil},
		"what is free is known to be free":   {&model.Price{}, agui.TokenUsage{InputTokens: n(5), OutputTokens: n(5)}, f(0)},
		"cached input costs what input does": {&model.Price{Input: 2}, agui.TokenUsage{InputTokens: n(10), CachedInputTokens: n(4), OutputTokens: n(0)}, f(0.00002)},
		"more was cached than read":          {&model.Price{Input: 2, CachedInput: f(1)}, agui.TokenUsage{InputTokens: n(10), CachedInputTokens: n(40), OutputTokens: n(0)}, f(0.00001)},
		"reasoning is a part of the output":  {&model.Price{Output: 3}, agui.TokenUsage{InputTokens: n(0), OutputTokens: n(10), ReasoningTokens: n(10)}, f(0.00003)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tt.price.Cost(tt.usage)
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("Cost() = %v, want %v", got, tt.want)
			}
		})
	}
	for _, wrong := range []model.Price{{Input: -1}, {Output: math.NaN()}, {CachedInput: f(math.Inf(1))}} {
		if wrong.Check() == nil {
			t.Errorf("%+v passes", wrong)
		}
	}
	if err := (model.Price{}).Check(); err != nil {
		t.Errorf("a free model: %v", err)
	}
}
