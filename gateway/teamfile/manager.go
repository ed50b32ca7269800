package teamfile

import (
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// manager reads the manager of the participants that are called names. If a name is nil, because it could not be read, names that the manager
// chooses are not checked against the participants.
func (b *builder) manager(n *node, names []*node) func() groupchat.Manager {
	f := b.fields(n, "a manager")
	if n.kind != mappingNode {
		return nil
	}
	name := b.oneOf(f.need("type", "write `type: rules`, route, handoff, llm, plan, round_robin or sequential"),
		"rules", "route", "handoff", "llm", "plan", "round_robin", "sequential")
	if name == "" {
		return nil
	}
	f.what = "manager " + name
	f.kind = f.what
	f.take("name") // see supervisor
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
	case "plan":
		m = b.planner(f, names)
	case "round_robin":
		m = groupchat.RoundRobin()
	case "sequential":
		m = groupchat.Sequential()
	}
	f.end()
	return m
}

// supervisor reads the name under which the manager that n describes speaks.
func (b *builder) supervisor(n *node) string {
	if n == nil || n.kind != mappingNode {
		return supervisorName
	}
	name := (&fields{r: &b.reader, at: n}).take("name")
	if name == nil {
		return supervisorName
	}
	before := len(b.problems)
	text := b.text(name)
	if len(b.problems) == before && (!validName(text) || text == groupchat.Done) {
		b.bad(name, "a manager's name must not be empty or done and has none of . / @ #; rename it")
	}
	return text
}

// rules reads a manager that chooses by the first rule that holds.
func (b *builder) rules(f *fields, c *candidates) func() groupchat.Manager {
	var rules []groupchat.Rule
	for _, item := range b.list(f.need("rules", "list them: `- { when: { missing: /notes }, speaker: researcher }`"), "rules") {
		r := b.fields(item, "a rule")
		rule := groupchat.Rule{Speaker: c.choose(r.need("speaker", "name a participant, or done"))}
		if when := r.need("when", "write `when: { missing: /pointer }` or `when: { present: /pointer }`"); when != nil {
			rule.When = b.condition(when, speakersOf(c.names))
		}
		r.end()
		rules = append(rules, rule)
	}
	otherwise := c.choose(f.need("default", "name who speaks when no rule holds; `default: done` ends the chat"))
	c.reportUnchosen()
	return groupchat.ByState(otherwise, rules...)
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
		instruction, computed := b.computed(o.need("instruction", "say what the speaker is told for this turn"))
		o.end()
		found := false
		for other, to := range routes {
			if sameWord(other, word.text) {
				to.Instruction, to.InstructionOf, found = instruction, computed, true
				routes[other] = to
			}
		}
		switch {
		case found:
		case sameWord(word.text, "default") && otherwise.Speaker != "":
			otherwise.Instruction, otherwise.InstructionOf = instruction, computed
		default:
			b.bad(word, "there is no route for this word; name one of the routes, or default")
		}
	}
	c.reportUnchosen()
	return groupchat.RouteTo(key, routes, otherwise)
}

// sameWord reports whether a route treats two words as the same.
func sameWord(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
