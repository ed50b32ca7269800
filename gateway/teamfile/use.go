package teamfile

import (
	"fmt"
	"slices"
	"strings"
)

// A use is a place in a file at which one agent names another, as a participant or a tool.
type use struct {
	at     *node
	by, of *entry
	shared bool // it works on the state of the agent that names it
}

// checkUses notes agents that limit what callers may write and work on the state of another agent that does not. A thread has the limits of the
// agent that it belongs to, so theirs would be lost.
func (b *builder) checkUses() {
	for _, u := range b.uses {
		if u.shared && u.of.limitsClients && !u.by.limitsClients {
			b.bad(u.at, "callers of %q may write the whole state, although %q, which works on it, lists what callers may write; say so in the "+
				"`state: { client: … }` of %[1]q, which a groupchat can have, or give %[2]q a scope of its own", u.by.name, u.of.name)
		}
	}
}

// isServed reports whether callers may run an agent: as its serve key says, else if no other agent of the file names it.
func (b *builder) isServed(e *entry) bool {
	if e.serve != nil {
		return *e.serve
	}
	return !slices.ContainsFunc(b.uses, func(u use) bool { return u.of == e })
}

// decideServed notes keys that mean nothing because their agent is not served, and a file that serves no agent.
func (b *builder) decideServed(order []*entry) {
	served := false
	for _, e := range order {
		if b.isServed(e) {
			served = true
			continue
		}
		for _, key := range e.servedKeys {
			if e.serve != nil {
				b.bad(key, "%s is for agents that are served, and %q is not, because of `serve: off`; remove one of the two", key.text, e.name)
			} else {
				b.bad(key, "%s is for agents that are served, and %q is not, because others name it; remove %[1]s, or add `serve: on`", key.text, e.name)
			}
		}
	}
	if !served && len(order) > 0 {
		b.bad(order[0].key, "no agent is served; write `serve: on` at one that is to be")
	}
}

// maxTold limits the names that an error lists.
const maxTold = 20

// unknown notes that n names no agent, model or server of this file, and lists the names that the file has.
func (b *builder) unknown(n *node, name string, quotable bool, kind string, known []string) {
	who := "the value from the environment"
	if quotable {
		who = fmt.Sprintf("%q", name)
	}
	if len(known) == 0 {
		section := map[string]string{"agent": "agents", "model": "models", "server": "mcp"}[kind]
		b.bad(n, "%s is no %s of this file; describe it under `%s:`", who, kind, section)
		return
	}
	slices.Sort(known)
	known = slices.Compact(known)
	more := ""
	if len(known) > maxTold {
		known, more = known[:maxTold], ", …"
	}
	where := "file"
	if kind == "tool" {
		where = "program"
	}
	b.bad(n, "%s is no %s of this %s; it has %s%s", who, kind, where, strings.Join(known, ", "), more)
}

// badCircle notes that n names an agent that is being read, which would take part in itself, and lists the circle.
func (b *builder) badCircle(n *node, name string) {
	circle := b.reading
	for i, above := range slices.Backward(circle) {
		if above == name {
			circle = circle[i:]
			break
		}
	}
	b.bad(n, "the agent takes part in itself: %s → %s; name another", strings.Join(circle, " → "), name)
}
