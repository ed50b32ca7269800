package run

import (
	"encoding/json"
	"reflect"

	"github.com/agui-gateway/gateway/agui"
)

// restate replaces the conversation by a snapshot: known messages keep their position and get the snapshot's content,
// new ones follow in its order, the rest is removed. Activities and reasoning, which many servers cannot restate, are
// removed only if the snapshot has others of their kind.
func (v *View) restate(messages []agui.Message) {
	v.load()
	v.restated = true
	last := make(map[string]*agui.Message, len(messages))
	kinds := make(map[agui.Role]bool)
	for i := range messages {
		last[messages[i].ID] = &messages[i]
		kinds[messages[i].Role] = true
	}
	for _, c := range v.calls {
		c.in = nil
	}
	before := v.list
	v.list = make([]*entry, 0, len(messages))
	clear(v.byID)
	v.changes = 0
	known := make(map[string]bool, len(before))
	for _, e := range before {
		m, restated := last[e.head.ID]
		role := e.head.Role
		switch {
		case restated:
			v.keep(e.becoming(*m))
		case (role == agui.RoleActivity || role == agui.RoleReasoning) && !kinds[role]:
			v.keep(e)
		default:
			v.disown(e)
			continue
		}
		known[e.head.ID] = true
	}
	for i := range messages {
		if !known[messages[i].ID] {
			e := newEntry(messages[i])
			e.changed = true
			v.keep(e)
			v.joined++
		}
	}
	for id, c := range v.calls {
		if c.in == nil && c.order == 0 {
			delete(v.calls, id)
		}
	}
}

// disown makes the run remember the owner of a dropped message, as readers do.
func (v *View) disown(e *entry) {
	v.open.Claim(agui.KindOf(e.head.Role), e.head.ID, e.head.SubagentRunID)
	for _, c := range e.calls {
		v.open.Claim(agui.KindToolCall, c.id, e.head.SubagentRunID)
	}
}

// newEntry returns the entry of a whole message. The View does not know its calls yet.
func newEntry(m agui.Message) *entry {
	e := &entry{head: m}
	e.head.ToolCalls = nil
	for _, t := range m.ToolCalls {
		e.calls = append(e.calls, &call{
			id: t.ID, name: t.Function.Name, args: textBuffer{whole: t.Function.Arguments},
			encryptedValue: t.EncryptedValue, metadata: t.Metadata,
		})
	}
	return e
}

// becoming returns e if it is equal to m, else a changed entry.
func (e *entry) becoming(m agui.Message) *entry {
	if len(m.ToolCalls) == 0 {
		m.ToolCalls = nil
	}
	if reflect.DeepEqual(e.message(), m) {
		return e
	}
	next := newEntry(m)
	next.changed = true
	return next
}

// keep appends an entry and takes over its calls. The run's data about a call outlives a snapshot of it.
func (v *View) keep(e *entry) {
	v.list = append(v.list, e)
	v.name(e)
	if e.changed {
		v.changes++
	}
	if e.head.Role == agui.RoleTool && v.past[e.head.ToolCallID] != e.head.ID {
		v.answered[e.head.ToolCallID] = e.head.ID
	}
	for _, c := range e.calls {
		if old := v.calls[c.id]; old != nil && old != c {
			c.order = old.order
			if old.order > 0 {
				v.started[old.order-1] = c
			}
		}
		c.in = e
		v.calls[c.id] = c
	}
}

// recall adds the messages of an echoed input that the view lacks.
func (v *View) recall(in *agui.RunAgentInput) {
	if in == nil {
		return
	}
	for _, m := range in.Messages {
		if v.entryOf(m.ID) == nil {
			e := newEntry(m)
			v.keep(e)
			v.joined++
			v.touch(e)
		}
	}
}

// showActivity creates or replaces an activity. Its metadata outlives a replacement, its owner does not.
func (v *View) showActivity(e *agui.ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	old := v.entryOf(e.MessageID)
	switch {
	case old == nil:
		old = v.push(agui.Message{ID: e.MessageID, Role: agui.RoleActivity})
	case old.head.Role == agui.RoleActivity && !replace:
		v.annotate(old, e.Metadata)
		return
	case old.head.Role != agui.RoleActivity && !replace:
		return
	case old.head.Role != agui.RoleActivity:
		for _, c := range old.calls {
			c.in = nil
		}
		old.head, old.text, old.calls = agui.Message{ID: e.MessageID, Role: agui.RoleActivity}, textBuffer{}, nil
	}
	old.head.ActivityType = e.ActivityType
	old.head.Content = agui.ObjectContent(e.Content)
	old.head.SubagentRunID = e.SubagentRunID
	v.touch(old)
	v.annotate(old, e.Metadata)
}

// changeActivity patches an existing activity, and ignores unknown ones.
func (v *View) changeActivity(e *agui.ActivityDelta) error {
	m := v.entryOf(e.MessageID)
	if m == nil || m.head.Role != agui.RoleActivity {
		return nil
	}
	content, ok := m.head.Content.Object()
	if !ok {
		content = json.RawMessage("{}")
	}
	content, err := e.Patch.Apply(v.patching, content)
	if err != nil {
		return err
	}
	m.head.Content = agui.ObjectContent(content)
	m.head.ActivityType = e.ActivityType
	v.touch(m)
	v.annotate(m, e.Metadata)
	return nil
}
