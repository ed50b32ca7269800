package gateway

import (
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// laterManagers are managers of the format that this version does not have.
var laterManagers = []string{"llm", "handoff"}

// manager reads who chooses among the participants with names. A nil name is unknown: then nobody is missed.
func (b *teamBuilder) manager(n *teamNode, names []*teamNode) func() groupchat.Manager {
	f := b.fields(n, "a manager")
	if n.kind != mappingNode {
		return nil
	}
	kind := f.need("type", "write `type: rules`, route, round_robin or sequential")
	if kind == nil {
		return nil
	}
	if kind.kind == scalarNode && slices.Contains(laterManagers, kind.text) {
		b.bad(kind, "manager %s is not available in this version; it has rules, route, round_robin and sequential", kind.text)
		return nil
	}
	name := b.oneOf(kind, "rules", "route", "round_robin", "sequential")
	if name == "" {
		return nil
	}
	f.what = "manager " + name
	c := &teamChoices{b: b, names: names}
	var m func() groupchat.Manager
	switch name {
	case "rules":
		m = b.rules(f, c)
	case "route":
		m = b.route(f, c)
	case "round_robin":
		m = groupchat.RoundRobin()
	case "sequential":
		m = groupchat.Sequential()
	}
	f.end()
	return m
}

// rules reads a manager that chooses by the first rule that holds.
func (b *teamBuilder) rules(f *teamFields, c *teamChoices) func() groupchat.Manager {
	var rules []groupchat.Rule
	for _, item := range b.list(f.need("rules", "list them: `- { when: { missing: /notes }, speaker: researcher }`"), "rules") {
		r := b.fields(item, "a rule")
		rule := groupchat.Rule{Speaker: c.choose(r.need("speaker", "name a participant, or done"))}
		if when := r.need("when", "write `when: { missing: /pointer }` or `when: { present: /pointer }`"); when != nil {
			rule.When = b.condition(when)
		}
		r.end()
		rules = append(rules, rule)
	}
	otherwise := c.choose(f.need("default", "name who speaks when no rule holds; `default: done` ends the chat"))
	c.missed()
	return groupchat.ByState(otherwise, rules...)
}

func (b *teamBuilder) condition(n *teamNode) groupchat.Condition {
	f := b.fields(n, "a condition")
	missing, present := f.take("missing"), f.take("present")
	f.end()
	if n.kind == mappingNode && (missing == nil) == (present == nil) {
		b.bad(n, "a condition is one of missing and present; write `{ missing: /pointer }`")
		return nil
	}
	if missing != nil {
		return groupchat.Missing(b.pointer(missing))
	}
	return groupchat.Present(b.pointer(present))
}

// route reads a manager that chooses once, by a word in the state.
func (b *teamBuilder) route(f *teamFields, c *teamChoices) func() groupchat.Manager {
	key := b.pointer(f.need("key", "say where in the state the word is: `key: /topic`"))
	routes := map[string]string{}
	words, targets := b.pairs(f.need("routes", "write `routes: { word: participant }`"), "routes")
	for i, word := range words {
		routes[word.text] = c.choose(targets[i])
	}
	otherwise := c.choose(f.take("default"))
	c.missed()
	return groupchat.Route(key, routes, otherwise)
}

// teamChoices checks whom a manager can choose.
type teamChoices struct {
	b      *teamBuilder
	names  []*teamNode
	chosen []string
	lost   bool // somebody was meant who is not known
}

// choose reads the name of a participant, or done.
func (c *teamChoices) choose(n *teamNode) string {
	if n == nil {
		return ""
	}
	before := len(c.b.problems)
	name, quotable := c.b.word(n)
	c.chosen = append(c.chosen, name)
	switch {
	case name == groupchat.Done, named(c.names, name):
		return name
	case len(c.b.problems) > before, slices.Contains(c.names, nil):
	case quotable:
		c.b.bad(n, "%q is no participant of this chat; name one, or add it to the participants", name)
	default:
		c.b.bad(n, "the value from the environment is no participant of this chat; name one")
	}
	c.lost = true
	return name
}

// missed notes the participants who are never chosen, unless it may be they who were meant.
func (c *teamChoices) missed() {
	if c.lost {
		return
	}
	for _, n := range c.names {
		if n != nil && !slices.Contains(c.chosen, n.text) {
			c.b.bad(n, "the manager never chooses this participant; let a rule or route name it, or remove it")
		}
	}
}
