package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// teamRetries is how often a participant with `on_error: retry` is tried again.
const teamRetries = 2

// supervisorName is taken: it is the manager's where it speaks.
const supervisorName = "supervisor"

// chat reads an agent of type groupchat.
func (b *teamBuilder) chat(f *teamFields, description string, scope *groupchat.Scoping) groupchat.Agent {
	c := &groupchat.Chat{
		Description: description,
		MaxRounds:   b.count(f.take("max_rounds"), 1),
		Closing:     b.text(f.take("closing")),
	}
	if n := f.take("state"); n != nil {
		b.state(n, c, scope)
	}
	manager := f.need("manager", "say who chooses the speakers, such as `manager: { type: sequential }`")
	var names []*teamNode
	members := f.need("participants", "list at least one, such as `- { name: helper, type: script, steps: […] }`")
	items := b.list(members, "participants")
	if members != nil && members.kind == listNode && len(items) == 0 {
		b.bad(members, "there are no participants; list at least one")
	}
	for _, item := range items {
		p, name := b.participant(item, names)
		c.Participants = append(c.Participants, p)
		names = append(names, name)
	}
	if manager != nil {
		c.Manager = b.manager(manager, names)
	}
	return c
}

// state reads how a chat uses the shared state. One that takes part in another has only what is its own.
func (b *teamBuilder) state(n *teamNode, c *groupchat.Chat, scope *groupchat.Scoping) {
	f := b.fields(n, "state")
	reducers := b.reducers(f.take("reducers"))
	switch {
	case scope == nil:
		c.State.Reducers = reducers
		c.State.Client = b.client(f.take("client"))
		c.State.Initial = b.initial(f.take("initial"))
	case scope.Kind == groupchat.ScopeShared:
		f.take("client")
		f.take("initial")
		b.bad(n, "a participant works on the state of the agent it belongs to; move this there, or give it `scope: isolated`")
	default:
		// Only a mapped scope has reducers; one that maps nothing is isolated.
		scope.Kind, scope.Mapping.Reducers = groupchat.ScopeMapped, reducers
	}
	f.end()
}

func (b *teamBuilder) reducers(n *teamNode) state.Reducers {
	keys, values := b.pairs(n, "reducers")
	reducers := state.Reducers{}
	for i, key := range keys {
		b.checkPointer(key, key.text)
		name := b.oneOf(values[i], "append", "merge", "replace")
		if name == "" {
			continue
		}
		reduce, err := state.ParseReducer(name)
		if err != nil {
			b.bad(values[i], "no reducer; write append, merge or replace")
			continue
		}
		reducers[key.text] = reduce
	}
	return reducers
}

// client reads what a caller may write: nil is everything, an empty list nothing.
func (b *teamBuilder) client(n *teamNode) []string {
	if n == nil {
		return nil
	}
	pointers := []string{}
	for _, item := range b.list(n, "client") {
		p := b.pointer(item)
		if strings.Count(p, "/") > 1 {
			b.bad(item, "a caller may write whole members of the state only; write the first part, /name")
		}
		pointers = append(pointers, p)
	}
	return pointers
}

func (b *teamBuilder) initial(n *teamNode) json.RawMessage {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		b.bad(n, "the state is a mapping; write `initial: { name: value }`")
		return nil
	}
	return b.json(n)
}

// participant reads one who takes part in a chat with those who have names already. It returns its name's node,
// which is nil if there is no telling.
func (b *teamBuilder) participant(n *teamNode, names []*teamNode) (groupchat.Participant, *teamNode) {
	f := b.fields(n, "a participant")
	p := groupchat.Participant{Description: b.text(f.take("description"))}
	name := f.need("name", "add `name: …`")
	if name != nil {
		p.Name = b.text(name)
		// From here on the name is what it stands for.
		name = &teamNode{kind: scalarNode, text: p.Name, line: name.line, column: name.column}
		f.what = fmt.Sprintf("participant %q", p.Name)
		b.checkName(name, names)
	}
	p.Context.Last = b.oneOf(f.take("context"), "full", "last") == "last"
	switch b.oneOf(f.take("on_error"), "fail", "skip", "retry") {
	case "skip":
		p.OnError.Skip = true
	case "retry":
		p.OnError.Retries = teamRetries
	}
	p.Scope = b.scope(f)
	switch reference := f.take("agent"); {
	case reference != nil && f.has("type"):
		b.bad(reference, "%s has both agent and type; remove one", f.what)
	case reference != nil:
		p.Agent = b.reference(reference, &p)
		f.end()
	case f.has("type"):
		p.Agent = b.agentOf(f.take("type"), f, p.Description, &p.Scope)
	case f.void:
	default:
		b.bad(n, "%s needs an agent; add `agent: <name of an agent of this file>`, or a type and what belongs to it", f.what)
	}
	return p, name
}

// checkName wants a participant's name to be good, and its own.
func (b *teamBuilder) checkName(name *teamNode, names []*teamNode) {
	switch {
	case name.text == "" || strings.ContainsAny(name.text, "./@#"):
		b.bad(name, "a participant's name must not be empty and has none of . / @ #; rename it")
	case name.text == supervisorName || name.text == groupchat.Done:
		b.bad(name, "%q means something else in a chat; rename the participant", name.text)
	case named(names, name.text):
		b.bad(name, "there is another participant with this name; rename one")
	}
}

// reference returns the agent of this file that n names.
func (b *teamBuilder) reference(n *teamNode, p *groupchat.Participant) groupchat.Agent {
	before := len(b.problems)
	name := b.text(n)
	e := b.entries[name]
	switch {
	case len(b.problems) > before:
		return nil
	case e == nil:
		b.bad(n, "there is no such agent in this file; name one of those under `agents:`")
		return nil
	case e.begun && !e.done:
		b.bad(n, "the agent takes part in itself; name another")
		return nil
	}
	b.enter(e)
	if p.Description == "" {
		p.Description = b.team.Options[name].Description
	}
	return b.team.Agents[name] // nil after a mistake, which was noted where it is
}

// scope reads which state a participant works on.
func (b *teamBuilder) scope(f *teamFields) groupchat.Scoping {
	at := f.take("scope")
	kind := b.oneOf(at, "shared", string(groupchat.ScopeIsolated), string(groupchat.ScopeMapped))
	s := groupchat.Scoping{Mapping: state.Mapping{In: b.inputs(f.take("inputs")), Out: b.outputs(f.take("outputs"))}}
	switch {
	case kind == "shared" || kind == "":
		if f.has("inputs", "outputs") {
			b.bad(f.at, "inputs and outputs need a state of its own; add `scope: mapped`")
		}
	case kind == string(groupchat.ScopeIsolated) && f.has("outputs"):
		b.bad(at, "nothing leaves an isolated state; write `scope: mapped`, or remove the outputs")
	case kind == string(groupchat.ScopeMapped) && !f.has("inputs", "outputs"):
		b.bad(at, "a mapped state needs inputs or outputs; add them, or write `scope: isolated`")
	case len(s.Mapping.In)+len(s.Mapping.Out) > 0:
		s.Kind = groupchat.ScopeMapped
	default:
		s.Kind = groupchat.ScopeIsolated
	}
	return s
}

// inputs reads name in the own state → pointer into the chat's.
func (b *teamBuilder) inputs(n *teamNode) map[string]string {
	in := map[string]string{}
	keys, values := b.pairs(n, "inputs")
	for i, key := range keys {
		name := strings.TrimPrefix(key.text, "/")
		if name == "" || strings.ContainsAny(name, "/~") {
			b.bad(key, "an input becomes a member of the own state; write `name: /pointer/into/the/chats/state`")
		}
		in[name] = b.pointer(values[i])
	}
	return in
}

// outputs reads pointer into the own state → pointer into the chat's. The first may leave its slash away.
func (b *teamBuilder) outputs(n *teamNode) map[string]string {
	out := map[string]string{}
	keys, values := b.pairs(n, "outputs")
	for i, key := range keys {
		from := key.text
		if !strings.HasPrefix(from, "/") {
			from = "/" + from
		}
		b.checkPointer(key, from)
		out[from] = b.pointer(values[i])
	}
	return out
}

// named reports whether one of names is name.
func named(names []*teamNode, name string) bool {
	for _, n := range names {
		if n != nil && n.text == name {
			return true
		}
	}
	return false
}
