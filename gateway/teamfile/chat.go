package teamfile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// supervisorName is the name under which a manager without one speaks.
const supervisorName = "supervisor"

// chat reads an agent of type groupchat.
func (b *builder) chat(f *fields, description string, scope *groupchat.Scoping) groupchat.Agent {
	c := &groupchat.Chat{
		Description: description,
		MaxRounds:   b.count(f.take("max_rounds"), 1),
		Closing:     b.text(f.take("closing")),
		History:     b.history(f.take("history")),
	}
	until := f.take("until")
	if n := f.take("state"); n != nil {
		b.state(n, c, scope)
	}
	manager := f.need("manager", "say who chooses the speakers, such as `manager: { type: sequential }`")
	c.Supervisor = b.supervisor(manager)
	outer, outerWhen := b.supervisorHere, b.when
	b.supervisorHere, b.when = c.Supervisor, nil
	var names []*node
	c.Participants, names = b.participants(f)
	b.supervisorHere, b.when = outer, outerWhen
	if manager != nil {
		c.Manager = b.manager(manager, names)
	}
	if until != nil {
		c.Until = b.condition(until, speakersOf(names))
		b.looksAt(until)
	}
	b.warnOfTeam(manager, c, names)
	return c
}

// participants reads the participants of a team, and returns the nodes of their names as well.
func (b *builder) participants(f *fields) (list []groupchat.Participant, names []*node) {
	members := f.need("participants", "list at least one, such as `- { name: helper, type: script, steps: […] }`")
	items := b.list(members, "participants")
	if members != nil && members.kind == listNode && len(items) == 0 {
		b.bad(members, "there are no participants; list at least one")
	}
	outer := b.members
	b.members = membersOf(items)
	for _, item := range items {
		p, name := b.participant(item, names)
		list = append(list, p)
		names = append(names, name)
	}
	b.members = outer
	return list, names
}

// state reads how a chat uses the shared state. A chat that takes part in another may only say so of a state of its own.
func (b *builder) state(n *node, c *groupchat.Chat, scope *groupchat.Scoping) {
	f := b.fields(n, "state")
	reducers := b.reducers(f.take("reducers"))
	b.reduced = append(b.reduced, slices.Collect(maps.Keys(reducers))...)
	switch {
	case scope == nil:
		b.written.reducers = reducers
		c.State.Client = b.client(f.take("client"))
		b.current.limitsClients = c.State.Client != nil
		c.State.Initial = b.initial(f.take("initial"))
	case scope.Kind == groupchat.ScopeShared:
		f.take("client")
		f.take("initial")
		b.bad(n, "a participant works on the state of the agent it belongs to; move this there, or give it `scope: isolated`")
	default:
		b.written.reducers = reducers
	}
	f.end()
}

func (b *builder) reducers(n *node) state.Reducers {
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

// client reads the pointers that callers may write. Nil means all, an empty list none.
func (b *builder) client(n *node) []string {
	if n == nil {
		return nil
	}
	pointers := []string{}
	for _, item := range b.list(n, "client") {
		p := b.pointer(item)
		if strings.Count(p, "/") > 1 {
			b.bad(item, "a caller may write whole members of the state only; write the first part, /name")
		}
		b.wrote(p, nil)
		pointers = append(pointers, p)
	}
	return pointers
}

func (b *builder) initial(n *node) json.RawMessage {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		b.bad(n, "the state is a mapping; write `initial: { name: value }`")
		return nil
	}
	raw := b.json(n)
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // a mistake is noted
	for name, value := range members {
		b.wrote(state.Pointer(name), schemaOfValue(value))
	}
	return raw
}
