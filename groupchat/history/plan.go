package history

import "github.com/agui-gateway/gateway/agui"

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
