package teamfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// defaultRetries is the number of retries of a participant with `on_error: retry`.
const defaultRetries = 2

// participant reads a participant of a chat, in which names are taken already. It returns the value of its name too, or
// nil.
func (b *builder) participant(n *Value, names []*Value) (groupchat.Participant, *Value) {
	f := n.Fields("a participant", "participant agent")
	p := groupchat.Participant{Description: f.Take("description").Text()}
	name := f.Need("name", "add `name: …`")
	if name != nil {
		p.Name = name.Text()
		// From here on the value has the name with its variables replaced.
		name = &Value{r: n.r, kind: scalarNode, text: p.Name, line: name.line, column: name.column, up: name.up,
			name: name.name, broken: name.broken}
		f.what = fmt.Sprintf("participant %q", p.Name)
		b.checkName(name, names)
	}
	b.selected(f.Take("when"), p.Name)
	switch f.Take("context").OneOf("full", "last", "none") {
	case "last":
		p.Context.Last = true
	case "none":
		p.Context.Select = func(groupchat.View) []groupchat.Message { return []groupchat.Message{} }
	}
	p.OnError = onError(f.Take("on_error"))
	p.Scope = b.scope(f)
	p.Writes = f.Take("writes").pointers("writes")
	wrap := b.wrapping(f)
	s := b.openShare(f, p.Scope)
	own := readContract(f.Take("contract"))
	var reference *Value
	if !isAGUI(n) {
		reference = f.Take("agent")
	}
	switch {
	case reference != nil && f.has("type"):
		reference.Bad("%s has both agent and type; remove one", f.what)
	case reference != nil:
		p.Agent = b.reference(reference, &p, p.Scope.Kind)
		f.End()
	case f.has("type"):
		p.Agent = b.agentOf(f.Take("type"), f, p.Description, &p.Scope)
	default:
		f.reportMistyped()
		n.Bad("%s needs an agent; add `agent: <name of an agent of this file>`, or a type and what belongs to "+
			"it", f.what)
	}
	b.closeShare(s, &p.Scope, own)
	b.wrote(wrap.sub.Result, stringSchema)
	if p.Agent != nil {
		p.Agent = own.apply(p.Agent)
		wrap.apply(&p)
	}
	return p, name
}

// isAGUI reports whether n describes an agent of type agui, where the key agent names no agent of this file.
func isAGUI(n *Value) bool {
	kind := n.member("type")
	return kind != nil && kind.text == "agui"
}

// onError reads what happens when a participant fails.
func onError(n *Value) (p failure.Policy) {
	if !n.IsMapping() {
		switch n.OneOf("fail", "skip", "retry") {
		case "skip":
			p.Skip = true
		case "retry":
			p.Retries = defaultRetries
		}
		return p
	}
	f := n.Fields("on_error", "")
	p.Retries = f.Need("retry", "say how often: `on_error: { retry: 3 }`").Count(1)
	p.Backoff = f.Take("backoff").duration()
	p.Skip = f.Take("then").OneOf("fail", "skip") == "skip"
	f.End()
	return p
}

// validName reports whether a participant, or a manager, may have the name.
func validName(name string) bool { return name != "" && !strings.ContainsAny(name, "./@#") }

// checkName notes a participant's name that is not valid or taken already.
func (b *builder) checkName(name *Value, names []*Value) {
	switch {
	case !validName(name.text):
		name.Bad("a participant's name must not be empty and has none of . / @ #; rename it")
	case name.text == b.supervisorHere || name.text == groupchat.Done:
		name.Bad("%q means something else in a chat; rename the participant", name.text)
	case hasName(names, name.text):
		name.Bad("there is another participant with this name; rename one")
	}
}

// reference returns the agent of this file that n names, for a participant with a scope of that kind. It returns nil
// after a mistake, which is noted, perhaps where the agent is described.
func (b *builder) reference(n *Value, p *groupchat.Participant, kind groupchat.ScopeKind) groupchat.Agent {
	name := n.Text()
	e := b.entries[name]
	switch {
	case e == nil:
		unknown(n, "agent", b.agentNames())
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
	return b.team.Agents[name]
}

// agentNames returns the names of the agents of this file.
func (b *builder) agentNames() []string { return slices.Sorted(maps.Keys(b.entries)) }

// hasName reports whether names has name.
func hasName(names []*Value, name string) bool {
	return slices.ContainsFunc(names, func(n *Value) bool { return n != nil && n.text == name })
}
