package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
)

// A use is a place in a file at which one agent names another, as a participant or a tool.
type use struct {
	at     *Value
	by, of *entry
	shared bool // it works on the state of the agent that names it
}

// checkUses notes agents that limit the pointers that callers may write and work on the state of another agent that
// does not. A thread has the limits of the agent that it belongs to, so theirs would be lost.
func (b *builder) checkUses() {
	for _, u := range b.uses {
		if u.shared && u.of.limitsClients && !u.by.limitsClients {
			u.at.Bad("callers of %q may write the whole state, although %q, which works on it, lists what callers "+
				"may write; say so in the `state: { client: … }` of %[1]q, which a groupchat can have, or give %[2]q "+
				"a scope of its own",
				u.by.name, u.of.name)
		}
	}
}

// isServed reports whether callers may run an agent: as its serve key says, else if no other agent of the file names
// it.
func (b *builder) isServed(e *entry) bool {
	if e.serve != nil {
		return *e.serve
	}
	return !slices.ContainsFunc(b.uses, func(u use) bool { return u.of == e })
}

// servedKeys are the keys of an agent that have an effect only if it is served.
var servedKeys = []string{
	"allow", "edits", "disconnect", "on_busy", "interrupt_ttl", "interrupt_dialect", "run_timeout", "subagent_events",
	"typed_answers", "attachments", "suggestions", "subgraphs",
}

// subgraphs reads whether POST /subgraphs speaks to e, which only one agent may have.
func (b *builder) subgraphs(n *Value, e *entry) bool {
	if !n.on() {
		return false
	}
	if b.ofSubgraphs != nil {
		n.Bad("POST /subgraphs speaks to one agent, and %q is it already; remove one of the two", b.ofSubgraphs.name)
	}
	b.ofSubgraphs = e
	return true
}

// roles reads the roles that may use an agent; nil means everybody. An empty list would mean that too, and looks like
// the opposite.
func roles(n *Value) (roles []string) {
	if n == nil {
		return nil
	}
	const empty = "allow names no role; name one, remove the key, or write `serve: off` to keep everybody out"
	for _, item := range n.itemsOf("allow", empty) {
		role := item.Text()
		if !gateway.ValidRole(role) {
			item.Bad("a role is a text of 1 to 256 bytes without control characters; rename it")
		}
		roles = append(roles, role)
	}
	return roles
}

func subagentEvents(n *Value) gateway.SubagentEvents {
	switch n.OneOf("auto", "on", "off", "true", "false", "yes", "no") {
	case "auto":
		return gateway.SubagentsAuto
	case "on", "true", "yes":
		return gateway.SubagentsOn
	case "off", "false", "no":
		return gateway.SubagentsOff
	default:
		return ""
	}
}

// decideServed notes keys without effect, because their agent is not served, and a file that serves no agent.
func (b *builder) decideServed(order []*entry) {
	for _, e := range order {
		if b.isServed(e) {
			continue
		}
		correct := "because others name it; remove %[1]s, or add `serve: on`"
		if e.serve != nil {
			correct = "because of `serve: off`; remove one of the two"
		}
		for _, key := range e.servedKeys {
			key.Bad("%[1]s is for agents that are served, and %[2]q is not, "+correct, key.text, e.name)
		}
	}
	if len(order) > 0 && !slices.ContainsFunc(order, b.isServed) {
		order[0].key.Bad("no agent is served; write `serve: on` at one that is to be")
	}
}

// maxListed limits the names that an error lists.
const maxListed = 20

// sections are the sections of a file that describe what other places name.
var sections = map[string]string{"agent": "agents", "model": "models", "server": "mcp"}

// unknown notes that n names no agent, model or server of this file, or no tool of the program, and lists the known
// names.
func unknown(n *Value, kind string, known []string) {
	if len(known) == 0 {
		n.Bad("%s is no %s of this file; describe it under `%s:`", n.quoted(), kind, sections[kind])
		return
	}
	guess := n.guess(known)
	known = slices.Compact(slices.Sorted(slices.Values(known)))
	if len(known) > maxListed {
		known = append(known[:maxListed], "…")
	}
	where := "file"
	if kind == "tool" {
		where = "program"
	}
	n.Bad("%s is no %s of this %s%s; it has %s", n.quoted(), kind, where, guess, strings.Join(known, ", "))
}

// badCircle notes that n names an agent that is being read and would take part in itself, and lists the circle.
func (b *builder) badCircle(n *Value, name string) {
	circle := b.reading
	for i, above := range slices.Backward(circle) {
		if above == name {
			circle = circle[i:]
			break
		}
	}
	n.Bad("the agent takes part in itself: %s → %s; name another", strings.Join(circle, " → "), name)
}
