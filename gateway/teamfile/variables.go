package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// A mention is a place in a file at which a variable, {{last:NAME}}, names a participant.
type mention struct {
	at   *node
	name string
	by   *entry
}

// templated reads a text that may have variables. The template is nil if it has none. What stands in the environment is text: it is put in when
// the variables have been found.
func (b *builder) templated(n *node) (string, *groupchat.Template) {
	if n == nil || n.kind != scalarNode {
		return b.text(n), nil
	}
	p, err := groupchat.ParseTemplate(n.text)
	if err != nil {
		b.bad(n, "%s", err)
		return "", nil
	}
	p = p.Expand(func(text string) string {
		part := *n
		part.text = text
		return b.text(&part)
	})
	variables := p.Variables()
	if len(variables) == 0 {
		return p.Text(groupchat.View{}), nil
	}
	for _, v := range variables {
		if v.Kind == groupchat.VariableLast {
			b.mentions = append(b.mentions, mention{n, v.Name, b.current})
		}
	}
	return "", p
}

// instructions reads what a model is told before everything else: the text, or what computes it.
func (b *builder) instructions(n *node) (string, []groupchat.Provider) {
	text, p := b.templated(n)
	if p == nil {
		return text, nil
	}
	return "", []groupchat.Provider{p.Prepare}
}

// computed reads a text that may have variables, as a function; the function is nil if it has none.
func (b *builder) computed(n *node) (string, func(groupchat.View) string) {
	text, p := b.templated(n)
	if p == nil {
		return text, nil
	}
	return "", p.Text
}

// participantPrompt reads what a participant is told as a user's message.
func (b *builder) participantPrompt(n *node) func(groupchat.View) string {
	if n == nil {
		return nil
	}
	before := len(b.problems)
	text, f := b.computed(n)
	switch {
	case f != nil:
		return f
	case strings.TrimSpace(text) == "" && len(b.problems) == before:
		b.bad(n, "the prompt is empty; say what the participant is told, or remove the key")
	}
	return func(groupchat.View) string { return text }
}

// checkMentions notes variables that name nobody who takes part in the agent that they stand in, in what that is made of, or in what it is a
// part of.
func (b *builder) checkMentions() {
	for i, m := range b.mentions {
		names, known := b.namesAround(m.by)
		if !known || slices.Contains(names, m.name) || slices.ContainsFunc(b.mentions[:i], func(o mention) bool { return o == m }) {
			continue
		}
		if len(names) == 0 {
			b.bad(m.at, "{{last:%s}} names nobody: this agent takes part in no team", m.name)
			continue
		}
		b.bad(m.at, "{{last:%s}} names no participant; write %s", m.name, choices(names))
	}
}

// namesAround are the names of all participants of the agents that e is connected with, by agents that name each other. Known is false if one
// of the names is a variable of the environment.
func (b *builder) namesAround(e *entry) (names []string, known bool) {
	seen, next := map[*entry]bool{e: true}, []*entry{e}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		names = participantNames(at.node, names)
		for _, u := range b.uses {
			for _, other := range []*entry{u.by, u.of} {
				if (u.by == at || u.of == at) && !seen[other] {
					seen[other] = true
					next = append(next, other)
				}
			}
		}
	}
	slices.Sort(names)
	known = !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "${") })
	return slices.Compact(names), known
}

// participantNames adds to names those of all participants that are described in n.
func participantNames(n *node, names []string) []string {
	for i, item := range n.items {
		names = participantNames(item, names)
		if n.kind != mappingNode || n.keys[i].text != "participants" {
			continue
		}
		for _, p := range item.items {
			for j, key := range p.keys {
				if key.text == "name" && p.items[j].kind == scalarNode {
					names = append(names, p.items[j].text)
				}
			}
		}
	}
	return names
}
