package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// This file has the warnings for valid files that probably contain a mistake: a team that only its limit ends, a
// condition on a pointer that nothing writes, and participants without a description among which a model chooses.

// A reading is a pointer into the state that a condition of a team reads.
type reading struct {
	at *Value
	of *written
}

// collectReadings collects the pointers of a condition, or of rules.
func (b *builder) collectReadings(n *Value) {
	for i, item := range n.items {
		if n.IsMapping() && slices.Contains([]string{"missing", "present", "path"}, n.keys[i].text) && item.isScalar() {
			b.readings = append(b.readings, reading{item, b.written})
		} else {
			b.collectReadings(item)
		}
	}
}

// warnOfReadings warns of conditions on a pointer that nothing in the file writes.
func (b *builder) warnOfReadings() {
	for _, l := range b.readings {
		if _, found := l.of.typesAt(l.at.text); !found && strings.HasPrefix(l.at.text, "/") {
			l.at.warn("nothing in this file writes %s, so this changes only if a caller does", l.at.text)
		}
	}
}

// warnOfTeam warns of a manager that probably does something else with its participants than was meant. The
// participants have these names.
func (b *builder) warnOfTeam(manager *Value, c *groupchat.Chat, names []*Value) {
	kind := manager.member("type")
	if kind == nil {
		return
	}
	bounded := c.MaxRounds > 0 || c.Until != nil
	switch kind.text {
	case "round_robin":
		if !bounded {
			manager.warn("all speak in turn until 40 turns are over; write `max_rounds`, or `until` and a condition")
		}
	case "rules":
		if rules := manager.member("rules"); rules != nil {
			b.collectReadings(rules)
		}
		if !bounded && !endsByRule(manager) {
			manager.warn("no rule and no default chooses done, so this goes on until 40 turns are over; " +
				"write `max_rounds`, or `until` and a condition")
		}
	case "llm", "plan", "handoff":
		for i, p := range c.Participants {
			d, _ := groupchat.As[profile.Describer](p.Agent)
			described := p.Description != "" || d != nil && d.Describe().Description != ""
			if !described && names[i] != nil && p.Agent != nil {
				names[i].warn("a model chooses among these and is told nothing of %q but its name; "+
					"add `description: …`", p.Name)
			}
		}
	}
}

// endsByRule reports whether a rule or the default of a manager chooses done.
func endsByRule(manager *Value) bool {
	done := func(n *Value) bool { return n != nil && n.text == groupchat.Done }
	rules := manager.member("rules")
	return done(manager.member("default")) || rules != nil &&
		slices.ContainsFunc(rules.items, func(rule *Value) bool { return done(rule.member("speaker")) })
}
