package gateway

import "github.com/agui-gateway/gateway/groupchat"

// A teamUse is a place of a file where one of its agents names another, as a participant or a tool.
type teamUse struct {
	at     *teamNode
	by, of *teamEntry
	shared bool // on the state of the one that names it
}

// checkUses notes the agents whose limits on what callers may write are lost because they work on the state of another: a thread has
// those of the agent it belongs to.
func (b *teamBuilder) checkUses() {
	for _, u := range b.uses {
		if u.shared && b.limitsCallers(u.of) && !b.limitsCallers(u.by) && b.team.Agents[u.by.name] != nil {
			b.bad(u.at, "callers of %q may write the whole state, although %q, which works on it, lists what callers may write; say so in the "+
				"`state: { client: … }` of %[1]q, which a groupchat can have, or give %[2]q a scope of its own", u.by.name, u.of.name)
		}
	}
}

// limitsCallers reports whether an agent lists what its callers may write.
func (b *teamBuilder) limitsCallers(e *teamEntry) bool {
	c, ok := b.team.Agents[e.name].(*groupchat.Chat)
	return ok && c.State.Client != nil
}
