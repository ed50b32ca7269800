package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
)

// An agentBudget limits the runs of an agent.
type agentBudget struct {
	tokens *budget.Budget // nil if none is limited
	turns  int            // 0 leaves it to the gateway
}

// budget reads an agent's budget. The zero value is none.
func (b *builder) budget(n *Value, e *entry) (limits agentBudget) {
	if n == nil {
		return limits
	}
	f := n.Fields("a budget", "")
	count := func(key string) int64 { return int64(f.Take(key).Count(1)) }
	l := budget.Limits{
		Run: count("run"), Thread: count("thread"), Principal: count("principal"), Ledger: b.o.Budgets, Name: e.name,
	}
	window := f.Take("window")
	l.Window = window.duration()
	limits.turns = int(count("turns"))
	f.End()
	e.servedKeys = append(e.servedKeys, f.keysOf("turns")...)
	switch {
	case !f.ok():
	case len(n.keys) == 0:
		n.Bad("the budget is empty; say what may be used: `budget: { run: 20000 }`, with run, thread, principal and " +
			"turns")
	case window != nil && l.Principal == 0:
		window.Bad("a window is the time in which a principal may use its tokens; add `principal: 50000`, or remove it")
	case l.Run+l.Thread+l.Principal > 0:
		tokens, err := budget.New(l)
		if err != nil {
			n.Bad("not a budget: %s", err)
		}
		limits.tokens = tokens
	}
	return limits
}

// apply returns agent held to the tokens of its budget.
func (l agentBudget) apply(agent groupchat.Agent) groupchat.Agent {
	if l.tokens == nil {
		return agent
	}
	return groupchat.WithHooks(agent, l.tokens.Hooks())
}
