package teamfile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/document"
)

// supervisorName is the name of a manager without one.
const supervisorName = "supervisor"

// chat reads an agent of type groupchat.
func (b *builder) chat(f *Fields, description string, scope *groupchat.Scoping) groupchat.Agent {
	c := &groupchat.Chat{
		Description: description,
		MaxRounds:   f.Take("max_rounds").Count(1),
		Closing:     f.Take("closing").Text(),
		History:     b.history(f.Take("history")),
	}
	until := f.Take("until")
	if n := f.Take("state"); n != nil {
		b.state(n, c, scope)
	}
	manager := f.Need("manager", "say who chooses the speakers, such as `manager: { type: sequential }`")
	manager = manager.long("type")
	c.Supervisor = supervisor(manager)
	outer, outerWhen := b.supervisorHere, b.when
	b.supervisorHere, b.when = c.Supervisor, nil
	var names []*Value
	c.Participants, names = b.participants(f)
	b.supervisorHere, b.when = outer, outerWhen
	if manager != nil {
		c.Manager = b.manager(manager, names)
	}
	if until != nil {
		c.Until = b.condition(until, speakersOf(names))
		b.collectReadings(until)
	}
	b.warnOfTeam(manager, c, names)
	return c
}

// participants reads the participants of a team, and returns the values of their names as well.
func (b *builder) participants(f *Fields) (list []groupchat.Participant, names []*Value) {
	items := f.Need("participants", "list at least one, such as `- { name: helper, type: script, steps: […] }`").
		itemsOf("participants", "there are no participants; list at least one")
	for i, item := range items {
		items[i] = item.long("name", "agent")
	}
	outer := b.members
	b.members = membersOf(items)
	b.current.participants = slices.AppendSeq(b.current.participants, maps.Keys(b.members))
	for _, item := range items {
		p, name := b.participant(item, names)
		list = append(list, p)
		names = append(names, name)
	}
	b.members = outer
	return list, names
}

// state reads how a chat uses the shared state. A chat inside another has client and initial only for a state that is
// not shared.
func (b *builder) state(n *Value, c *groupchat.Chat, scope *groupchat.Scoping) {
	f := n.Fields("state", "")
	reducers := readReducers(f.Take("reducers"))
	b.reduced = append(b.reduced, slices.Collect(maps.Keys(reducers))...)
	switch {
	case scope == nil:
		b.written.reducers = reducers
		c.State.Client = b.client(f.Take("client"))
		b.current.limitsClients = c.State.Client != nil
		c.State.Initial = b.initial(f.Take("initial"))
	case scope.Kind == groupchat.ScopeShared:
		f.Take("client")
		f.Take("initial")
		n.Bad("a participant works on the state of the agent it belongs to; " +
			"move this there, or give it `scope: isolated`")
	default:
		b.written.reducers = reducers
	}
	f.End()
}

func readReducers(n *Value) document.Reducers {
	keys, values := n.Pairs("reducers")
	reducers := document.Reducers{}
	for i, key := range keys {
		key.checkPointer(key.text)
		reduce, err := document.ParseReducer(values[i].OneOf("append", "merge", "replace"))
		if err == nil {
			reducers[key.text] = reduce
		}
	}
	return reducers
}

// client reads the pointers that callers may write. Nil means all, an empty list none.
func (b *builder) client(n *Value) []string {
	pointers := n.pointers("client")
	for i, p := range pointers {
		if strings.Count(p, "/") > 1 {
			n.items[i].Bad("a caller may write whole members of the state only; write the first part, /name")
		}
		b.wrote(p, nil)
	}
	return pointers
}

func (b *builder) initial(n *Value) json.RawMessage {
	if n != nil && n.kind != mappingNode {
		n.Bad("the state is a mapping; write `initial: { name: value }`")
		return nil
	}
	raw := n.JSON()
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // a mistake is noted
	for name, value := range members {
		b.wrote(document.Pointer(name), schemaOfValue(value))
	}
	return raw
}
