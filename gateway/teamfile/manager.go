package teamfile

import (
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// manager reads the manager of participants with these names. If a name is nil, because it could not be read, the names
// that the manager chooses are not checked against the participants.
func (b *builder) manager(n *Value, names []*Value) (m func() groupchat.Manager) {
	f := n.Fields("a manager", "")
	name := f.Need("type", "write `type: rules`, route, handoff, llm, plan, round_robin or sequential").
		OneOf("rules", "route", "handoff", "llm", "plan", "round_robin", "sequential")
	if name == "" {
		return nil
	}
	f.what = "manager " + name
	f.kind = f.what
	f.Take("name") // see supervisor
	c := &candidates{names: names}
	switch name {
	case "rules":
		m = b.rules(f, c)
	case "route":
		m = b.route(f, c)
	case "handoff":
		m = handoff(f, c)
	case "llm":
		m = b.modelManager(f, names)
	case "plan":
		m = b.planner(f, names)
	case "round_robin":
		m = groupchat.RoundRobin()
	case "sequential":
		m = groupchat.Sequential()
	}
	f.End()
	return m
}

// supervisor reads the name of the manager that n describes.
func supervisor(n *Value) string {
	name := n.member("name")
	if name == nil {
		return supervisorName
	}
	text := name.Text()
	if !validName(text) || text == groupchat.Done {
		name.Bad("a manager's name must not be empty or done and has none of . / @ #; rename it")
	}
	return text
}

// rules reads a manager that chooses by the first rule that holds.
func (b *builder) rules(f *Fields, c *candidates) func() groupchat.Manager {
	var rules []groupchat.Rule
	list := f.Need("rules", "list them: `- { when: { missing: /notes }, speaker: researcher }`")
	for _, item := range list.List("rules") {
		r := item.Fields("a rule", "")
		rule := groupchat.Rule{Speaker: c.choose(r.Need("speaker", "name a participant, or done"))}
		when := r.Need("when", "write `when: { missing: /pointer }` or `when: { present: /pointer }`")
		if when != nil {
			rule.When = b.condition(when, speakersOf(c.names))
		}
		r.End()
		rules = append(rules, rule)
	}
	otherwise := c.choose(f.Need("default", "name who speaks when no rule holds; `default: done` ends the chat"))
	c.reportUnchosen()
	return groupchat.Rules(otherwise, rules...)
}

// route reads a manager that chooses once, by a word in the state.
func (b *builder) route(f *Fields, c *candidates) func() groupchat.Manager {
	key := f.Need("key", "say where in the state the word is: `key: /topic`").pointer()
	routes := map[string]groupchat.Destination{}
	words, targets := f.Need("routes", "write `routes: { word: participant }`").Pairs("routes")
	for i, word := range words {
		for other := range routes {
			if sameWord(other, word.text) {
				word.Bad("this word is there already, letter case and white space around aside; remove one")
			}
		}
		routes[word.text] = groupchat.Destination{Speaker: c.choose(targets[i])}
	}
	otherwise := groupchat.Destination{Speaker: c.choose(f.Take("default"))}
	keys, overrides := f.Take("overrides").Pairs("overrides")
	for i, word := range keys {
		o := overrides[i].Fields("an override", "")
		instruction, computed := b.computed(o.Need("instruction", "say what the speaker is told for this turn"))
		o.End()
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
			word.Bad("there is no route for this word; name one of the routes, or default")
		}
	}
	c.reportUnchosen()
	return groupchat.RouteTo(key, routes, otherwise)
}

// sameWord reports whether a route treats two words as the same.
func sameWord(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
