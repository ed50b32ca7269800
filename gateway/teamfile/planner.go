package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/plan"
)

// planner reads a manager that plans.
func (b *builder) planner(f *Fields, names []*Value) func() groupchat.Manager {
	o := plan.Options{
		Model:        b.model(f.Take("model"), f.v),
		Instructions: f.Take("instructions").Text(),
		Sees:         f.Take("sees").sees(),
		Retries:      f.Take("retries").retries(),
		Fallback:     b.fallback(f.Take("fallback"), names),
		MaxStalls:    f.Take("max_stalls").Count(1),
		MaxResets:    f.Take("max_resets").retries(),
		Review:       planReview(f.Take("review")),
		Store:        f.Take("store").pointer(),
		Show:         f.Take("show").on(),
	}
	b.wrote(o.Store, nil)
	switch final := f.Take("final").Text(); final {
	case "off", "no", "false":
		o.NoFinal = true
	case "on", "yes", "true":
	default:
		o.Final = final
	}
	return plan.Manager(o)
}

// planReview reads on, off, or how a person is asked about a plan.
func planReview(n *Value) *plan.Review {
	f, on := n.switched("the review of a plan", "")
	if !on {
		return nil
	}
	defer f.End()
	return &plan.Review{Message: f.Take("message").Text(), TTL: f.Take("ttl").duration()}
}
