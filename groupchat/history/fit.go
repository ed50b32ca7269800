package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// Requests that are too long are shortened here.
const (
	shortenings = 6    // how often a request is shortened that is refused
	suspicious  = 3000 // from how many estimated tokens on a refusal without a reason may be about the length
)

// Ask composes a request, omits the excess, and calls with the rest; again and shorter, if it is refused as too long.
// Key names is recorded of it in the turn. What a request is Composed of is not held while the model is waited for.
func (s *Shortener) Ask(ctx context.Context, key string, compose func() Composed,
	call func(r *model.Request) (reply *model.Reply, said bool, err error)) (*model.Reply, error) {
	r := s.first(ctx, key, compose)
	var refusal error
	for try := 0; ; try++ {
		reply, said, err := call(r)
		switch {
		case err == nil:
			s.correct(r, reply.Usage)
			s.save()
			return reply, nil
		case said || ctx.Err() != nil || !s.tooLong(r, err):
			if refusal != nil && errcode.Of(err) == errcode.ModelRequest {
				err = refusal // it was not about the length
			}
			return reply, err
		}
		if errcode.Of(err) == errcode.ModelRequest {
			refusal = err
		} else {
			refusal = nil
			s.learn(requestTokens(r))
		}
		if try == shortenings {
			s.save()
			return reply, err
		}
		if r = s.shorter(ctx, key, compose, err); r == nil {
			return reply, err
		}
	}
}

// first composes a request, without the part that is known to be too much.
func (s *Shortener) first(ctx context.Context, key string, compose func() Composed) *model.Request {
	c := compose()
	r := c.build(&s.note)
	for range shortenings {
		limit := s.limit(r)
		if !s.over(&c, r, limit) {
			break
		}
		aim := cut{tokens: limit * 5 / 8, turns: max(s.h.Turns-max(s.h.Turns/4, 1), min(s.h.Turns, 1))}
		if !s.leave(ctx, key, &c, r, cut{tokens: limit, turns: s.h.Turns}, aim) && !s.clipMore(&c) {
			break
		}
		c = compose()
		r = c.build(&s.note)
	}
	return r
}

// shorter composes a request that was refused with err again, about half as long; nil if there is nothing to leave out.
func (s *Shortener) shorter(ctx context.Context, key string, compose func() Composed, err error) *model.Request {
	c := compose()
	r := c.build(&s.note)
	before, half := *s, cut{tokens: requestTokens(r) / 2}
	if !s.leave(ctx, key, &c, r, half, half) && !s.clipMore(&c) {
		s.note, s.passing = before.note, before.passing
		s.save()
		return nil
	}
	s.t.Warn(ctx, "groupchat: the request is too long for the model, it is shortened", err)
	c = compose()
	return c.build(&s.note)
}

// over reports whether a request is longer than it may be.
func (s *Shortener) over(c *Composed, r *model.Request, limit int) bool {
	if limit > 0 && requestTokens(r) > limit {
		return true
	}
	return s.h.Turns > 0 && len(newPlan(c, 0).turns) > s.h.Turns
}

// tooLong reports whether a request may have been refused because of its length. A server that only says that a request
// is bad is believed to mean that once, if the request is long.
func (s *Shortener) tooLong(r *model.Request, err error) bool {
	switch errcode.Of(err) {
	case errcode.ModelContextLength:
		return true
	case errcode.ModelRequest:
		if s.guessed || requestTokens(r) < suspicious {
			return false
		}
		s.guessed = true
		return true
	default:
		return false
	}
}

func (s *Shortener) learn(tokens int) {
	if limit := max(tokens*9/10, 1); s.note.Limit == 0 || limit < s.note.Limit {
		s.note.Limit = limit
	}
}

// leave removes entries of c from the request. It reports whether any left.
func (s *Shortener) leave(ctx context.Context, key string, c *Composed, r *model.Request, limit, aim cut) bool {
	at := newPlan(c, requestTokens(r)).choose(limit, aim, max(s.h.KeepLast, 1))
	if at <= c.Kept {
		return false
	}
	through := c.Entries[at-1].ID
	i := slices.IndexFunc(c.Seen, func(m agui.Message) bool { return m.ID == through })
	if i < 0 {
		return false // it is not of the conversation
	}
	next := s.note
	next.Through, next.Sum = through, sumOf(c.Seen[i])
	if s.h.Strategy == Summarise && !s.passing {
		summary, err := s.summarise(ctx, key, c.Entries[c.Kept:at], through,
			cmp.Or(s.limit(r), max(requestTokens(r), suspicious)))
		if err != nil {
			s.t.Warn(ctx,
				"groupchat: there is no summary of what leaves the conversation, it is tried again in the next turn",
				err)
			s.passing = true
		} else {
			next.Summary = summary
		}
	}
	s.note = next
	return true
}

// clipMore tells less of the longest results. It reports whether there was any to tell less of.
func (s *Shortener) clipMore(c *Composed) bool {
	longest := 0
	for _, e := range c.Entries {
		if e.Role == agui.RoleTool {
			longest = max(longest, len(e.Text))
		}
	}
	if longest < 2*LeastResult {
		return false
	}
	s.note.clip = max(longest/3, LeastResult)
	return true
}

// A plan says how many entries are left out of a request.
type plan struct {
	c     *Composed
	total int   // how long the request is, estimated
	sizes []int // of the entries
	turns []int // where turns of the caller begin
	// last is where the last words of the caller are, -1 if there are none.
	last int
}

// newPlan looks at a request of c that is total long.
func newPlan(c *Composed, total int) *plan {
	p := &plan{c: c, total: total, sizes: make([]int, len(c.Entries)), last: -1}
	for i := range c.Entries {
		p.sizes[i] = messageTokens(&c.Entries[i].Message)
		if i < c.Kept || !c.Entries[i].Caller {
			continue
		}
		p.last = i
		if i == c.Kept || !c.Entries[i-1].Caller {
			p.turns = append(p.turns, i)
		}
	}
	return p
}

// A cut is a place up to which entries leave, and the size of the rest.
type cut struct{ at, tokens, turns int }

// whole returns the cuts between turns of the caller that leave keep of them, the smallest first.
func (p *plan) whole(keep int) []cut {
	var cuts []cut
	left := p.total
	from := p.c.Kept
	for j, at := range p.turns {
		for ; from < at; from++ {
			left -= p.sizes[from]
		}
		if len(p.turns)-j >= keep && p.possible(at) {
			cuts = append(cuts, cut{at, left, len(p.turns) - j})
		}
	}
	return cuts
}

// within returns the cuts inside the current turn of the caller that keep its user message. The last action stays, too.
func (p *plan) within() []cut {
	var cuts []cut
	left := p.total
	for at := p.c.Kept; at < len(p.c.Entries); at++ {
		if (at == p.last || at > p.last+1) && p.possible(at) { // without the words themselves nothing would leave
			cuts = append(cuts, cut{at, left, min(len(p.turns), 1)})
		}
		if at != p.last {
			left -= p.sizes[at]
		}
	}
	return cuts
}

// possible reports whether entries can leave up to at: related entries leave together, and the omission is identified
// by the last message of it.
func (p *plan) possible(at int) bool {
	if at <= p.c.Kept {
		return false
	}
	next, last := &p.c.Entries[at], &p.c.Entries[at-1]
	return next.Role != agui.RoleTool && last.ID != "" && last.ID != next.ID
}

// choose returns up to where entries leave, so that no more than tokens and turns are left; 0 of one is no limit. It
// aims at the lower numbers of aim, so that it is not asked again soon. It is kept if nothing can leave.
func (p *plan) choose(limit, aim cut, keepLast int) int {
	fits := func(c, limit cut) bool {
		return (limit.tokens == 0 || c.tokens <= limit.tokens) && (limit.turns == 0 || c.turns <= limit.turns)
	}
	chosen := p.c.Kept
	for _, cuts := range [][]cut{p.whole(keepLast), p.whole(1), p.within()} {
		for _, c := range cuts {
			if chosen = c.at; fits(c, aim) {
				return chosen
			}
		}
		if n := len(cuts); n > 0 && fits(cuts[n-1], limit) {
			return chosen
		}
	}
	return chosen
}
