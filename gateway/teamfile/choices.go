package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// handoff reads a manager with which the speakers decide who is next.
func (b *builder) handoff(f *fields, c *candidates) func() groupchat.Manager {
	o := groupchat.HandoffOptions{
		Start:     c.participant(f.need("start", "name the participant who speaks first")),
		Turns:     b.count(f.take("turns"), 1),
		TurnsEach: b.count(f.take("turns_each"), 1),
	}
	if on := b.flag(f.take("autonomous")); on != nil {
		o.Autonomous = *on
	}
	edges := f.take("edges")
	if edges == nil {
		return groupchat.Handoff(o)
	}
	o.Edges = map[string][]string{}
	keys, values := b.pairs(edges, "edges")
	for i, key := range keys {
		from := c.participant(key)
		o.Edges[from] = []string{}
		for _, item := range b.list(values[i], "whom a participant hands over to") {
			to := c.participant(item)
			if to == from && to != "" {
				b.bad(item, "nobody hands over to itself; name another")
			}
			o.Edges[from] = append(o.Edges[from], to)
		}
	}
	c.reportUnreached(o)
	return groupchat.Handoff(o)
}

// reportUnreached notes the participants to whom nobody hands over. It notes none if a name of the file is unknown, because that one may have
// been meant.
func (c *candidates) reportUnreached(o groupchat.HandoffOptions) {
	if c.unknown {
		return
	}
	reached := map[string]bool{}
	next := []string{o.Start}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !reached[name] {
			reached[name] = true
			next = append(next, o.Edges[name]...)
		}
	}
	for _, n := range c.names {
		if n != nil && !reached[n.text] {
			c.b.bad(n, "nobody hands over to this participant; let an edge lead to it, or remove it")
		}
	}
}

// modelManager reads a manager that lets a model choose.
func (b *builder) modelManager(f *fields, names []*node) func() groupchat.Manager {
	model := b.model(f.take("model"), f.at)
	instructions, prepare := b.instructions(f.take("instructions"))
	o := groupchat.LLMManagerOptions{
		Model:    model,
		Prompt:   b.prompt(f.take("prompt")),
		Sees:     b.sees(f.take("sees")),
		History:  b.history(f.take("history")),
		Retries:  b.retries(f.take("retries")),
		Fallback: b.fallback(f.take("fallback"), names),
	}
	o.Instructions, o.Prepare = instructions, prepare
	return groupchat.LLMManager(o)
}

// prompt reads the description of a manager's task.
func (b *builder) prompt(n *node) string {
	before := len(b.problems)
	text, quotable := b.word(n)
	if err := groupchat.CheckPrompt(text); err != nil && len(b.problems) == before {
		if quotable {
			b.bad(n, "%s", strings.TrimPrefix(err.Error(), "its "))
		} else {
			b.bad(n, "the prompt from the environment has a place in {{}} that there is not")
		}
	}
	return text
}

// fallback reads the manager that decides if another one cannot. It speaks under that one's name.
func (b *builder) fallback(n *node, names []*node) func() groupchat.Manager {
	if n == nil {
		return nil
	}
	m := b.manager(n, names)
	for i, key := range n.keys {
		switch {
		case key.text == "name":
			b.bad(key, "a fallback speaks under the name of the manager that it stands in for; remove this")
		case key.text == "type" && n.items[i].text == "plan":
			b.bad(n.items[i], "a manager that plans takes turns of its own, which a fallback cannot; choose another")
		}
	}
	return m
}

// candidates checks the names of participants that a manager can choose.
type candidates struct {
	b       *builder
	names   []*node
	chosen  []string
	unknown bool // a name was not that of a participant
}

// choose reads the name of a participant, or done.
func (c *candidates) choose(n *node) string { return c.name(n, groupchat.Done) }

// participant reads the name of a participant.
func (c *candidates) participant(n *node) string { return c.name(n) }

// name reads the name of a participant, or one of the words in others.
func (c *candidates) name(n *node, others ...string) string {
	if n == nil {
		return ""
	}
	before := len(c.b.problems)
	name, quotable := c.b.word(n)
	c.chosen = append(c.chosen, name)
	switch {
	case slices.Contains(others, name), hasName(c.names, name):
		return name
	case len(c.b.problems) > before, slices.Contains(c.names, nil):
	case quotable:
		c.b.bad(n, "%q is no participant of this chat; name one, or add it to the participants", name)
	default:
		c.b.bad(n, "the value from the environment is no participant of this chat; name one")
	}
	c.unknown = true
	return name
}

// reportUnchosen notes the participants that the manager never chooses. It notes none if a name is unknown.
func (c *candidates) reportUnchosen() {
	if c.unknown {
		return
	}
	for _, n := range c.names {
		if n != nil && !slices.Contains(c.chosen, n.text) {
			c.b.bad(n, "the manager never chooses this participant; let a rule or route name it, or remove it")
		}
	}
}
