package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// leastTokens is the smallest limit of a request's tokens: instructions and tools take as much.
const leastTokens = 200

// history reads how much of a long conversation a model gets. It returns nil if the file does not say.
func (b *builder) history(n *Value) *history.Policy {
	if n == nil {
		return nil
	}
	f := n.Fields("history", "")
	h := &history.Policy{
		Turns: f.Take("turns").Count(1), Tokens: f.Take("tokens").Count(leastTokens),
		Strategy: orDefault(f.Take("strategy"), "drop", history.Summarise),
	}
	keep := f.Take("keep")
	k := keep.Fields("keep", "")
	h.KeepFirst, h.KeepLast = k.Take("first").Count(0), k.Take("last").Count(1)
	k.End()
	named := f.Take("model")
	if named != nil {
		h.Model = b.model(named, named)
	}
	f.End()
	switch {
	case !f.ok():
	case named != nil && h.Strategy != history.Summarise:
		named.Bad("this model would write summaries, and there are none; add `strategy: summarise`, or remove it")
	case h.Turns > 0 && h.KeepLast > h.Turns:
		keep.Bad("the last %d turns cannot all stay, because there are at most %d; change one of both",
			h.KeepLast, h.Turns)
	}
	return h
}

// inherits reads whether a specialist that works in a copy of a conversation gets the part that its caller's model
// gets, or all.
func inherits(n *Value, branch tools.Branch) bool {
	if n.OneOf("all", "inherit") != "inherit" {
		return false
	}
	if branch != tools.BranchFork {
		n.Bad("only an agent that works in a copy of the conversation is given a part of it; write `conversation: " +
			"fork`, or remove this")
	}
	return branch == tools.BranchFork
}
