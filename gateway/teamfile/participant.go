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

// participant reads a participant of a chat, in which names are taken already. It returns the node of its name too, which is nil if there is
// none.
func (b *builder) participant(n *node, names []*node) (groupchat.Participant, *node) {
	f := b.fields(n, "a participant")
	f.kind = "participant agent"
	p := groupchat.Participant{Description: b.text(f.take("description"))}
	name := f.need("name", "add `name: …`")
	if name != nil {
		p.Name = b.text(name)
		// From here on the node has the name with its variables replaced.
		name = &node{kind: scalarNode, text: p.Name, line: name.line, column: name.column}
		f.what = fmt.Sprintf("participant %q", p.Name)
		b.checkName(name, names)
	}
	b.selected(f.take("when"), p.Name)
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
	s := b.openShare(f, p.Scope)
	own := b.contract(f.take("contract"))
	var reference *node
	if !f.isRemote() {
		reference = f.take("agent")
	}
	switch {
	case reference != nil && f.has("type"):
		b.bad(reference, "%s has both agent and type; remove one", f.what)
	case reference != nil:
		p.Agent = b.reference(reference, &p, p.Scope.Kind)
		f.end()
	case f.has("type"):
		p.Agent = b.agentOf(f.take("type"), f, p.Description, &p.Scope)
	case f.notMapping:
	default:
		b.bad(n, "%s needs an agent; add `agent: <name of an agent of this file>`, or a type and what belongs to it", f.what)
	}
	b.closeShare(s, &p.Scope, own)
	b.wrote(wrap.sub.Result, stringSchema)
	if p.Agent != nil {
		p.Agent = own.under(p.Agent)
		wrap.apply(&p)
	}
	return p, name
}

// onError reads what happens when a participant fails.
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

// validName reports whether a participant, or a manager, may have the name.
func validName(name string) bool { return name != "" && !strings.ContainsAny(name, "./@#") }

// checkName notes a participant's name that is not valid or taken already.
func (b *builder) checkName(name *node, names []*node) {
	switch {
	case !validName(name.text):
		b.bad(name, "a participant's name must not be empty and has none of . / @ #; rename it")
	case name.text == b.supervisorHere || name.text == groupchat.Done:
		b.bad(name, "%q means something else in a chat; rename the participant", name.text)
	case hasName(names, name.text):
		b.bad(name, "there is another participant with this name; rename one")
	}
}

// reference returns the agent of this file that n names, for a participant with a scope of that kind.
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
	b.written.parts = append(b.written.parts, &e.written)
	b.uses = append(b.uses, use{at: n, by: b.current, of: e, shared: kind == groupchat.ScopeShared})
	if p.Description == "" {
		p.Description = b.team.Options[name].Description
	}
	return b.team.Agents[name] // nil after a mistake, which is noted at its place
}

// hasName reports whether names has name.
func hasName(names []*node, name string) bool {
	for _, n := range names {
		if n != nil && n.text == name {
			return true
		}
	}
	return false
}
