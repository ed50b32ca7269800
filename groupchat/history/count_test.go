package history

import (
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// TestEstimatesLearn corrects the estimate of a request's length by what a server counted.
func TestEstimatesLearn(t *testing.T) {
	t.Parallel()
	r := &model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "a text of some length, to be counted"}}}
	estimate := int64(requestTokens(r))
	used := func(n int64) agui.TokenUsage { return agui.TokenUsage{InputTokens: &n} }
	for _, test := range []struct {
		name   string
		policy Policy
		was    float64
		used   agui.TokenUsage
		want   float64
	}{
		{"twice as long", Policy{Tokens: 1000}, 0, used(2 * estimate), 2},
		{"nearly as long", Policy{Tokens: 1000}, 0, used(estimate), 0},
		{"as long as before", Policy{Tokens: 1000}, 2, used(2 * estimate), 2},
		{"far too long", Policy{Tokens: 1000}, 0, used(100 * estimate), mostRatio},
		{"far too short", Policy{Tokens: 1000}, 0, used(1), leastRatio},
		{"not counted", Policy{Tokens: 1000}, 2, agui.TokenUsage{}, 2},
		{"no limit to hold", Policy{}, 0, used(2 * estimate), 0},
		{"counted by the program", Policy{Tokens: 1000, Count: func(model.Request) int { return 1 }}, 0, used(2 * estimate), 0},
	} {
		s := &Shortener{h: test.policy}
		s.note.Ratio = test.was
		s.correct(r, test.used)
		if s.note.Ratio != test.want {
			t.Errorf("%s: the ratio is %v, want %v", test.name, s.note.Ratio, test.want)
		}
	}
}
