package run

import (
	"cmp"

	"github.com/agui-gateway/gateway/agui"
)

// identify refuses an id that already identifies an item of another kind, role or name. Agents cannot change messages
// of users, systems and developers. The protocol's order rules have a map of ids for each kind; a client has a single
// list of messages, and would append a thought to a text.
func (r *Run) identify(e agui.Event, item agui.Item) error {
	if r.idAvailable(e) {
		return nil
	}
	err := &agui.OrderError{Rule: agui.RuleIDTaken, Type: agui.TypeOf(e), Kind: item.Kind, ID: item.ID}
	switch e := e.(type) {
	case *agui.ActivitySnapshot:
		err.Kind, err.ID = agui.KindActivity, e.MessageID
	case *agui.ReasoningEncryptedValue:
		err.Kind, err.ID = agui.KindText, e.EntityID
	case *agui.ToolCallResult:
		err.Kind, err.ID = agui.KindResult, e.MessageID
		if r.view.callOf(e.ToolCallID) == nil {
			err.Rule, err.Kind, err.ID = agui.RuleUnknownCall, agui.KindToolCall, e.ToolCallID
		}
	}
	return err
}

// idAvailable reports whether the item that e opens may have its id.
func (r *Run) idAvailable(e agui.Event) bool {
	v := r.view
	switch e := e.(type) {
	case *agui.TextMessageStart:
		return !v.isFixed(e.MessageID) && v.standsFor(e.MessageID, cmp.Or(e.Role, agui.RoleAssistant), e.Name)
	case *agui.ReasoningEncryptedValue:
		return e.Subtype == agui.EncryptedToolCall || !v.isFixed(e.EntityID)
	case *agui.ReasoningMessageStart:
		return v.standsFor(e.MessageID, agui.RoleReasoning, "")
	case *agui.ReasoningStart:
		return v.standsFor(e.MessageID, agui.RoleReasoning, "")
	case *agui.ActivitySnapshot:
		return v.standsFor(e.MessageID, agui.RoleActivity, "")
	case *agui.ToolCallStart:
		c := v.callOf(e.ToolCallID)
		if c != nil && c.name != e.ToolCallName {
			return false
		}
		if c == nil || c.in == nil { // the call may make a message
			parent, id := v.callerOf(e)
			return parent != nil || v.entryOf(id) == nil && v.standsFor(id, agui.RoleAssistant, "")
		}
	case *agui.ToolCallResult:
		return v.callOf(e.ToolCallID) != nil && v.entryOf(e.MessageID) == nil &&
			v.standsFor(e.MessageID, agui.RoleTool, "")
	case *agui.MessagesSnapshot:
		return v.keepsRoles(e.Messages)
	}
	return true
}

// isFixed reports whether id is that of a message that no agent may change.
func (v *View) isFixed(id string) bool {
	e := v.entryOf(id)
	return e != nil && (e.head.Role == agui.RoleUser || e.head.Role == agui.RoleSystem ||
		e.head.Role == agui.RoleDeveloper)
}

// standsFor reports whether id is free, or that of a message of a role and a name; an empty name is any.
func (v *View) standsFor(id string, role agui.Role, name string) bool {
	if e := v.entryOf(id); e != nil {
		return e.head.Role == role && (name == "" || name == e.head.Name)
	}
	// It may still be open, though a snapshot has dropped it or, being a span, it is no message.
	if o, open := v.open.Opened(agui.KindText, id); open {
		start := o.Event.(*agui.TextMessageStart)
		if cmp.Or(start.Role, agui.RoleAssistant) != role || name != "" && name != start.Name {
			return false
		}
	}
	_, message := v.open.Opened(agui.KindReasoning, id)
	_, span := v.open.Opened(agui.KindSpan, id)
	return !message && !span || role == agui.RoleReasoning
}

// keepsRoles reports whether a snapshot leaves the messages that are open what they are.
func (v *View) keepsRoles(messages []agui.Message) bool {
	if len(v.open.Open(agui.KindText, agui.KindReasoning, agui.KindSpan)) == 0 {
		return true
	}
	for i := range messages {
		m := &messages[i]
		if e := v.entryOf(m.ID); e != nil && v.isOpen(e) && e.head.Role != m.Role || e == nil &&
			!v.standsFor(m.ID, m.Role, "") {
			return false
		}
	}
	return true
}
