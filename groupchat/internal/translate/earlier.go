package translate

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A remote agent's messages and calls have the remote's ids. Ours begin with the turn's path, so that going back is to
// take that away. Where a remote uses an id again ours is another, with the remote's in its metadata.

// metaKey is the member of a message's or a call's metadata that is ours.
const metaKey = "groupchat.remote"

// ID returns the id that the remote agent has for the item id.
func (t *Translator) ID(id string, metadata agui.Metadata) string {
	var own struct{ ID string }
	if raw := metadata[metaKey]; raw != nil && json.Unmarshal(raw, &own) == nil && own.ID != "" {
		return own.ID
	}
	return strings.TrimPrefix(id, t.Prefix)
}

// IsTheirs reports whether the remote said m, or m is the result of one of the remote's frontend calls.
func (t *Translator) IsTheirs(m *agui.Message) bool {
	if t.Prefix == "" {
		return m.Role != agui.RoleUser && m.Role != agui.RoleSystem && m.Role != agui.RoleDeveloper
	}
	return strings.HasPrefix(m.ID, t.Prefix) || m.Role == agui.RoleTool && strings.HasPrefix(m.ToolCallID, t.Prefix)
}

// Earlier notes which ids the conversation uses before the exchange, and which part of it the remote has already.
//
// The turn began after the message after; later says that the remote agent ran in it before.
func (t *Translator) Earlier(all []agui.Message, after string, later bool) {
	inTurn := after == ""
	for i := range all {
		m := &all[i]
		t.usedIDs[m.ID] = true
		if t.IsTheirs(m) {
			id := t.ID(m.ID, m.Metadata)
			t.Known[id] = true
			if inTurn && later && m.Role == agui.RoleAssistant {
				t.saidEarlier[id] = m.Content.Text()
			}
			if m.Role == agui.RoleActivity {
				object, _ := m.Content.Object()
				t.activities[id] = &Item{Ours: m.ID, content: object}
			}
		}
		for _, c := range m.ToolCalls {
			t.usedIDs[c.ID] = true
			if t.IsTheirs(m) {
				t.Calls[t.ID(c.ID, c.Metadata)] = &Item{Ours: c.ID, Name: c.Function.Name, Earlier: true}
			}
		}
		inTurn = inTurn || m.ID == after
	}
	answered := map[string]bool{}
	for i := range all {
		if all[i].Role == agui.RoleTool {
			answered[all[i].ToolCallID] = true
		}
	}
	for _, c := range t.Calls {
		c.Answered = answered[c.Ours]
	}
}
