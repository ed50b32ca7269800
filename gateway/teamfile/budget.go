package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
)

// A budgetKey is the value of an agent's budget: what its runs may use.
type budgetKey struct {
	tokens *budget.Budget // nil if none is limited
	turns  int            // 0 leaves it to the gateway
}

// budget reads an agent's budget. The zero value is none.
func (b *builder) budget(n *node, e *entry) budgetKey {
	if n == nil {
		return budgetKey{}
	}
	before := len(b.problems)
	f := b.fields(n, "a budget")
	l := budget.Limits{Run: int64(b.count(f.take("run"), 1)), Thread: int64(b.count(f.take("thread"), 1)), Principal: int64(b.count(f.take("principal"), 1))}
	window := f.take("window")
	l.Window, l.Ledger, l.Name = b.duration(window), b.budgets, e.name
	key := budgetKey{turns: b.count(f.take("turns"), 1)}
	f.end()
	e.servedKeys = append(e.servedKeys, f.keysOf("turns")...)
	switch {
	case len(b.problems) > before:
		return budgetKey{}
	case len(n.keys) == 0:
		b.bad(n, "the budget is empty; say what may be used: `budget: { run: 20000 }`, with run, thread, principal and turns")
		return budgetKey{}
	case window != nil && l.Principal == 0:
		b.bad(window, "a window is the time in which a principal may use its tokens; add `principal: 50000`, or remove it")
		return budgetKey{}
	case l.Run == 0 && l.Thread == 0 && l.Principal == 0:
		return key
	}
	tokens, err := budget.New(l)
	if err != nil {
		b.bad(n, "not a budget: %s", err)
		return budgetKey{}
	}
	key.tokens = tokens
	return key
}

// budgeted is agent held to the tokens of its budget.
func budgeted(agent groupchat.Agent, key budgetKey) groupchat.Agent {
	if key.tokens == nil {
		return agent
	}
	return groupchat.WithHooks(agent, key.tokens.Hooks())
}
