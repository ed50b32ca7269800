package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
)

// The words of strategy, and of the history of a specialist.
const (
	historyDrop      = "drop"
	historySummarise = "summarise"
	historyAll       = "all"
	historyInherit   = "inherit"
)

// leastTokens is the fewest tokens that a request may be limited to: instructions and tools take as much.
const leastTokens = 200

// history reads how much of a long conversation a model is told. Nil means that nothing is said of it.
func (b *builder) history(n *node) *groupchat.History {
	if n == nil {
		return nil
	}
	before := len(b.problems)
	f := b.fields(n, "history")
	h := &groupchat.History{Turns: b.count(f.take("turns"), 1), Tokens: b.count(f.take("tokens"), leastTokens)}
	if b.oneOf(f.take("strategy"), historyDrop, historySummarise) == historySummarise {
		h.Strategy = groupchat.HistorySummarise
	}
	keep := f.take("keep")
	if keep != nil {
		k := b.fields(keep, "keep")
		h.KeepFirst, h.KeepLast = b.count(k.take("first"), 0), b.count(k.take("last"), 1)
		k.end()
	}
	named := f.take("model")
	if named != nil {
		h.Model = b.model(named, named)
	}
	f.end()
	switch {
	case len(b.problems) > before:
	case named != nil && h.Strategy != groupchat.HistorySummarise:
		b.bad(named, "this model would write summaries, and there are none; add `strategy: summarise`, or remove it")
	case h.Turns > 0 && h.KeepLast > h.Turns:
		b.bad(keep, "the last %d turns cannot all stay, because there are at most %d; change one of both", h.KeepLast, h.Turns)
	}
	return h
}

// maxResult reads how many bytes of a result a model is told.
func (b *builder) maxResult(n *node) int {
	const least = 256
	return b.count(n, least)
}

// inherits reads whether a specialist that works in a copy of a conversation is given what its caller's model is told of it, or all.
func (b *builder) inherits(n *node, branch groupchat.BranchPolicy) bool {
	if b.oneOf(n, historyAll, historyInherit) != historyInherit {
		return false
	}
	if branch != groupchat.BranchFork {
		b.bad(n, "only an agent that works in a copy of the conversation is given a part of it; write `conversation: fork`, or remove this")
		return false
	}
	return true
}
