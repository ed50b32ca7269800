package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/template"
)

// A mention is a variable {{last:NAME}} in a text.
type mention struct {
	at   *Value
	name string
	by   *entry
}

// templated reads a text that may have variables. The template is nil if it has none. Values of the environment are
// text: they are put in after the variables were found.
func (b *builder) templated(n *Value) (string, *template.Template) {
	if !n.isScalar() {
		return n.Text(), nil
	}
	p, err := template.Parse(n.text)
	if err != nil {
		n.Bad("%s", err)
		return "", nil
	}
	p = p.Expand(func(text string) string {
		part := *n
		part.text = text
		return part.Text()
	})
	variables := p.Variables()
	if len(variables) == 0 {
		return p.Text(groupchat.View{}), nil
	}
	for _, v := range variables {
		if v.Kind == template.Last {
			b.mentions = append(b.mentions, mention{n, v.Name, b.current})
		}
	}
	return "", p
}

// instructions reads a model's instructions: the text, or what computes it.
func (b *builder) instructions(n *Value) (string, []groupchat.Provider) {
	text, p := b.templated(n)
	if p == nil {
		return text, nil
	}
	return "", []groupchat.Provider{p.Prepare}
}

// computed reads a text that may have variables, as a function; the function is nil if it has none.
func (b *builder) computed(n *Value) (string, func(groupchat.View) string) {
	text, p := b.templated(n)
	if p == nil {
		return text, nil
	}
	return "", p.Text
}

// participantPrompt reads the user message that a participant gets.
func (b *builder) participantPrompt(n *Value) func(groupchat.View) string {
	if n == nil {
		return nil
	}
	text, f := b.computed(n)
	if f != nil {
		return f
	}
	if strings.TrimSpace(text) == "" {
		n.Bad("the prompt is empty; say what the participant is told, or remove the key")
	}
	return func(groupchat.View) string { return text }
}

// checkMentions notes variables with a name that no participant has around the agent of the text.
func (b *builder) checkMentions() {
	for _, m := range b.mentions {
		names := b.namesAround(m.by)
		unknown := func(name string) bool { return strings.Contains(name, "${") }
		switch {
		case slices.Contains(names, m.name) || slices.ContainsFunc(names, unknown):
		case len(names) == 0:
			m.at.Bad("{{last:%s}} names nobody: this agent takes part in no team", m.name)
		default:
			m.at.Bad("{{last:%s}} names no participant%s; write %s", m.name, b.guess(m.name, names), choices(names))
		}
	}
}

// namesAround returns the names of all participants of the agents that e is connected with, by agents that name each
// other.
func (b *builder) namesAround(e *entry) (names []string) {
	connected := []*entry{e}
	for i := 0; i < len(connected); i++ {
		names = append(names, connected[i].participants...)
		for _, u := range b.uses {
			for from, to := range map[*entry]*entry{u.by: u.of, u.of: u.by} {
				if from == connected[i] && !slices.Contains(connected, to) {
					connected = append(connected, to)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
