package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/plan"
)

// planner reads a manager that plans.
func (b *builder) planner(f *fields, names []*node) func() groupchat.Manager {
	o := plan.Options{
		Model:        b.model(f.take("model"), f.at),
		Instructions: b.text(f.take("instructions")),
		Sees:         b.sees(f.take("sees")),
		Retries:      b.retries(f.take("retries")),
		Fallback:     b.fallback(f.take("fallback"), names),
		MaxStalls:    b.count(f.take("max_stalls"), 1),
		MaxResets:    b.retries(f.take("max_resets")),
		Review:       b.planReview(f.take("review")),
		Store:        b.pointer(f.take("store")),
	}
	b.wrote(o.Store, nil)
	if on := b.flag(f.take("show")); on != nil {
		o.Show = *on
	}
	if n := f.take("final"); n != nil {
		switch o.Final = b.text(n); o.Final {
		case "off", "no", "false":
			o.Final, o.NoFinal = "", true
		case "on", "yes", "true":
			o.Final = ""
		}
	}
	return plan.Manager(o)
}

// planReview reads on, off, or how a person is asked about a plan.
func (b *builder) planReview(n *node) *plan.Review {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		if on := b.flag(n); on == nil || !*on {
			return nil
		}
		return &plan.Review{}
	}
	f := b.fields(n, "the review of a plan")
	r := &plan.Review{Message: b.text(f.take("message")), TTL: b.duration(f.take("ttl"))}
	f.end()
	return r
}
