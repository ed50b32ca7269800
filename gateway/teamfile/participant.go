package teamfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// defaultRetries is how often a participant with `on_error: retry` is tried again.
const defaultRetries = 2

// participant reads one who takes part in a chat with those who have names already. It returns its name's node,
// which is nil if there is no telling.
func (b *builder) participant(n *node, names []*node) (groupchat.Participant, *node) {
	f := b.fields(n, "a participant")
	f.kind = "participant agent"
	p := groupchat.Participant{Description: b.text(f.take("description"))}
	name := f.need("name", "add `name: …`")
	if name != nil {
		p.Name = b.text(name)
		// From here on the name is what it stands for.
		name = &node{kind: scalarNode, text: p.Name, line: name.line, column: name.column}
		f.what = fmt.Sprintf("participant %q", p.Name)
		b.checkName(name, names)
	}
	switch b.oneOf(f.take("context"), "full", "last", "none") {
	case "last":
		p.Context.Last = true
	case "none":
		p.Context.Select = func(groupchat.View) []groupchat.Message { return []groupchat.Message{} }
	}
	p.OnError = b.onError(f.take("on_error"))
	p.Scope = b.scope(f)
	p.Writes = b.pointers(f.take("writes"), "writes")
	wrap := b.wrapping(f)
	switch reference := f.take("agent"); {
	case reference != nil && f.has("type"):
		b.bad(reference, "%s has both agent and type; remove one", f.what)
	case reference != nil:
		p.Agent = b.reference(reference, &p, p.Scope.Kind)
		f.end()
	case f.has("type"):
		p.Agent = b.agentOf(f.take("type"), f, p.Description, &p.Scope)
	case f.void:
	default:
		b.bad(n, "%s needs an agent; add `agent: <name of an agent of this file>`, or a type and what belongs to it", f.what)
	}
	if p.Agent != nil {
		wrap.around(&p)
	}
	return p, name
}

// onError reads what a participant's failure means.
func (b *builder) onError(n *node) (p groupchat.ErrorPolicy) {
	if n == nil {
		return p
	}
	if n.kind != mappingNode {
		switch b.oneOf(n, "fail", "skip", "retry") {
		case "skip":
			p.Skip = true
		case "retry":
			p.Retries = defaultRetries
		}
		return p
	}
	f := b.fields(n, "on_error")
	p.Retries = b.count(f.need("retry", "say how often: `on_error: { retry: 3 }`"), 1)
	p.Backoff = b.duration(f.take("backoff"))
	p.Skip = b.oneOf(f.take("then"), "fail", "skip") == "skip"
	f.end()
	return p
}

// checkName wants a participant's name to be good, and its own.
func (b *builder) checkName(name *node, names []*node) {
	switch {
	case name.text == "" || strings.ContainsAny(name.text, "./@#"):
		b.bad(name, "a participant's name must not be empty and has none of . / @ #; rename it")
	case name.text == supervisorName || name.text == groupchat.Done:
		b.bad(name, "%q means something else in a chat; rename the participant", name.text)
	case named(names, name.text):
		b.bad(name, "there is another participant with this name; rename one")
	}
}

// reference returns the agent of this file that n names, for a participant whose state is of that kind.
func (b *builder) reference(n *node, p *groupchat.Participant, kind groupchat.ScopeKind) groupchat.Agent {
	before := len(b.problems)
	name, quotable := b.word(n)
	e := b.entries[name]
	switch {
	case len(b.problems) > before:
		return nil
	case e == nil:
		b.unknown(n, name, quotable, "agent", slices.Collect(maps.Keys(b.entries)))
		return nil
	case e.begun && !e.done:
		b.badCircle(n, name)
		return nil
	}
	b.enter(e)
	b.uses = append(b.uses, use{at: n, by: b.current, of: e, shared: kind == groupchat.ScopeShared})
	if p.Description == "" {
		p.Description = b.team.Options[name].Description
	}
	return b.team.Agents[name] // nil after a mistake, which was noted where it is
}

// named reports whether one of names is name.
func named(names []*node, name string) bool {
	for _, n := range names {
		if n != nil && n.text == name {
			return true
		}
	}
	return false
}
