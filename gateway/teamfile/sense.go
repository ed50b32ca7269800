package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// Warnings are for valid files that probably contain a mistake: a team that only its limit ends, a condition on a pointer that nothing
// writes, and participants without a description among which a model chooses.

// A look is a pointer into the state that a condition of a team reads.
type look struct {
	at *node
	of *written
}

// looksAt notes the pointers of a condition, or of rules.
func (b *builder) looksAt(n *node) {
	keys, values := mapping(n)
	for i, value := range values {
		if slices.Contains([]string{"missing", "present", "path"}, keys[i].text) && value.kind == scalarNode {
			b.looks = append(b.looks, look{value, b.written})
		} else {
			b.looksAt(value)
		}
	}
	if n.kind == listNode {
		for _, item := range n.items {
			b.looksAt(item)
		}
	}
}

// warnOfLooks notes conditions on what nothing in the file writes.
func (b *builder) warnOfLooks() {
	for _, l := range b.looks {
		if _, found := l.of.typesAt(l.at.text); !found && strings.HasPrefix(l.at.text, "/") {
			b.warn(l.at, "nothing in this file writes %s, so this changes only if a caller does", l.at.text)
		}
	}
}

// warnOfTeam notes what a manager of participants may not be meant to do. Their names are those of the nodes.
func (b *builder) warnOfTeam(manager *node, c *groupchat.Chat, names []*node) {
	if manager == nil || manager.kind != mappingNode {
		return
	}
	f := &fields{r: &b.reader, at: manager}
	kind := f.raw("type")
	if kind == nil {
		return
	}
	bounded := c.MaxRounds > 0 || c.Until != nil
	switch kind.text {
	case "round_robin":
		if !bounded {
			b.warn(manager, "all speak in turn until 40 turns are over; write `max_rounds`, or `until` and a condition")
		}
	case "rules":
		if rules := f.raw("rules"); rules != nil {
			b.looksAt(rules)
		}
		if !bounded && !slices.ContainsFunc(append(chosenBy(f.raw("rules")), f.raw("default")), func(n *node) bool { return n != nil && n.text == groupchat.Done }) {
			b.warn(manager, "no rule and no default chooses done, so this goes on until 40 turns are over; write `max_rounds`, or `until` and a condition")
		}
	case "llm", "plan", "handoff":
		for i, p := range c.Participants {
			d, _ := groupchat.As[groupchat.Describer](p.Agent)
			if p.Description == "" && (d == nil || d.Describe().Description == "") && i < len(names) && names[i] != nil && p.Agent != nil {
				b.warn(names[i], "a model chooses among these and is told nothing of %q but its name; add `description: …`", p.Name)
			}
		}
	}
}

// chosenBy are the nodes of the speakers that rules choose.
func chosenBy(rules *node) []*node {
	var all []*node
	if rules == nil {
		return nil
	}
	for _, rule := range rules.items {
		keys, values := mapping(rule)
		for i, key := range keys {
			if key.text == "speaker" {
				all = append(all, values[i])
			}
		}
	}
	return all
}
