package langgraph

import "github.com/agui-gateway/gateway/agui"

// used adds what a piece of a message says that it took: all pieces together are the message's usage.
func (s *spoken) used(u *usage) {
	if u == nil {
		return
	}
	if s.usage == nil {
		s.usage = &usage{}
	}
	s.usage.add(u)
}

func (u *usage) add(o *usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.Total += o.Total
	u.Details.Read += o.Details.Read
	u.Details.Written += o.Details.Written
	u.OutputDetails.Reasoning += o.OutputDetails.Reasoning
}

// usage is what the run's messages took, by model, in the order in which models spoke.
func (t *translator) usage() []agui.TokenUsage {
	type key struct{ provider, model string }
	sums := map[key]*usage{}
	var order []key
	for _, s := range t.order {
		if s.usage == nil {
			continue
		}
		k := key{s.provider, s.model}
		if sums[k] == nil {
			sums[k] = &usage{}
			order = append(order, k)
		}
		sums[k].add(s.usage)
	}
	var list []agui.TokenUsage
	for _, k := range order {
		u := sums[k]
		list = append(list, agui.TokenUsage{
			Provider: k.provider, Model: k.model, InputTokens: &u.Input, OutputTokens: &u.Output, TotalTokens: &u.Total,
			ReasoningTokens: some(u.OutputDetails.Reasoning), CachedInputTokens: some(u.Details.Read),
			CacheWriteInputTokens: some(u.Details.Written),
		})
	}
	return list
}

func some(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
