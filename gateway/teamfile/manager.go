package teamfile

import (
	"bytes"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// manager reads the manager of the participants that are called names. If a name is nil, because it could not be read, names that the manager
// chooses are not checked against the participants.
func (b *builder) manager(n *node, names []*node) func() groupchat.Manager {
	f := b.fields(n, "a manager")
	if n.kind != mappingNode {
		return nil
	}
	name := b.oneOf(f.need("type", "write `type: rules`, route, handoff, llm, round_robin or sequential"),
		"rules", "route", "handoff", "llm", "round_robin", "sequential")
	if name == "" {
		return nil
	}
	f.what = "manager " + name
	f.kind = f.what
	c := &candidates{b: b, names: names}
	var m func() groupchat.Manager
	switch name {
	case "rules":
		m = b.rules(f, c)
	case "route":
		m = b.route(f, c)
	case "handoff":
		m = b.handoff(f, c)
	case "llm":
		m = b.modelManager(f, names)
	case "round_robin":
		m = groupchat.RoundRobin()
	case "sequential":
		m = groupchat.Sequential()
	}
	f.end()
	return m
}

// rules reads a manager that chooses by the first rule that holds.
func (b *builder) rules(f *fields, c *candidates) func() groupchat.Manager {
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
	c.reportUnchosen()
	return groupchat.ByState(otherwise, rules...)
}

// condition reads a condition on the shared state. Nil means that n is none, which is noted.
func (b *builder) condition(n *node) groupchat.Condition {
	f := b.fields(n, "a condition")
	missing, present, equals := f.take("missing"), f.take("present"), f.take("equals")
	f.end()
	given := 0
	for _, one := range []*node{missing, present, equals} {
		if one != nil {
			given++
		}
	}
	switch {
	case n.kind != mappingNode:
		return nil
	case given != 1:
		b.bad(n, "a condition is one of missing, present and equals; write `{ missing: /pointer }`")
		return nil
	case missing != nil:
		return groupchat.Missing(b.pointer(missing))
	case present != nil:
		return groupchat.Present(b.pointer(present))
	}
	e := b.fields(equals, "equals")
	pointer := b.pointer(e.need("path", "say where in the state: `equals: { path: /topic, value: weather }`"))
	value := e.raw("value") // it may be null
	if value == nil && equals.kind == mappingNode {
		b.bad(equals, "equals needs value; write the value that is to be there")
	}
	want := state.Canonical(b.json(value))
	e.end()
	return func(s state.Reader) bool {
		raw, ok := s.Raw(pointer)
		return ok && bytes.Equal(state.Canonical(raw), want)
	}
}

// route reads a manager that chooses once, by a word in the state.
func (b *builder) route(f *fields, c *candidates) func() groupchat.Manager {
	key := b.pointer(f.need("key", "say where in the state the word is: `key: /topic`"))
	routes := map[string]groupchat.Destination{}
	words, targets := b.pairs(f.need("routes", "write `routes: { word: participant }`"), "routes")
	for i, word := range words {
		for other := range routes {
			if sameWord(other, word.text) {
				b.bad(word, "this word is there already, letter case and white space around aside; remove one")
			}
		}
		routes[word.text] = groupchat.Destination{Speaker: c.choose(targets[i])}
	}
	otherwise := groupchat.Destination{Speaker: c.choose(f.take("default"))}
	keys, overrides := b.pairs(f.take("overrides"), "overrides")
	for i, word := range keys {
		o := b.fields(overrides[i], "an override")
		instruction := b.text(o.need("instruction", "say what the speaker is told for this turn"))
		o.end()
		found := false
		for other, to := range routes {
			if sameWord(other, word.text) {
				to.Instruction, found = instruction, true
				routes[other] = to
			}
		}
		switch {
		case found:
		case sameWord(word.text, "default") && otherwise.Speaker != "":
			otherwise.Instruction = instruction
		default:
			b.bad(word, "there is no route for this word; name one of the routes, or default")
		}
	}
	c.reportUnchosen()
	return groupchat.RouteTo(key, routes, otherwise)
}

// sameWord reports whether a route treats two words as the same.
func sameWord(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
