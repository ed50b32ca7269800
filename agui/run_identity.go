package agui

import "cmp"

// identify refuses what would make an id stand for another thing than it does: for one of another kind, of another role,
// or with another name. The protocol's order rules have a map of ids for each kind; a client has one list of messages, and
// would append a thought to a text.
func (r *Run) identify(e Event) error {
	if r.stands(e) {
		return nil
	}
	err := &OrderError{Rule: RuleIDTaken, Type: e.EventType()}
	switch e := e.(type) {
	case *TextMessageStart:
		err.Kind, err.ID = KindText, e.MessageID
	case *ReasoningMessageStart:
		err.Kind, err.ID = KindReasoning, e.MessageID
	case *ReasoningStart:
		err.Kind, err.ID = KindSpan, e.MessageID
	case *ActivitySnapshot:
		err.Kind, err.ID = KindActivity, e.MessageID
	case *ToolCallStart:
		err.Kind, err.ID = KindToolCall, e.ToolCallID
	case *ToolCallResult:
		err.Kind, err.ID = KindResult, e.MessageID
		if r.view.callOf(e.ToolCallID) == nil {
			err.Rule, err.Kind, err.ID = RuleUnknownCall, KindToolCall, e.ToolCallID
		}
	}
	return err
}

// stands reports whether what e opens may have its id.
func (r *Run) stands(e Event) bool {
	v := r.view
	switch e := e.(type) {
	case *TextMessageStart:
		return v.standsFor(e.MessageID, cmp.Or(e.Role, RoleAssistant), e.Name)
	case *ReasoningMessageStart:
		return v.standsFor(e.MessageID, RoleReasoning, "")
	case *ReasoningStart:
		return v.standsFor(e.MessageID, RoleReasoning, "")
	case *ActivitySnapshot:
		return v.standsFor(e.MessageID, RoleActivity, "")
	case *ToolCallStart:
		c := v.callOf(e.ToolCallID)
		if c != nil && c.name != e.ToolCallName {
			return false
		}
		if c == nil || c.in == nil { // the call may make a message
			parent, id := v.callerOf(e)
			return parent != nil || v.entryOf(id) == nil && v.standsFor(id, RoleAssistant, "")
		}
	case *ToolCallResult:
		return v.callOf(e.ToolCallID) != nil && v.entryOf(e.MessageID) == nil && v.standsFor(e.MessageID, RoleTool, "")
	case *MessagesSnapshot:
		return v.keepsRoles(e.Messages)
	}
	return true
}

// standsFor reports whether id is free, or that of a message of a role and a name; an empty name is any.
func (v *View) standsFor(id string, role Role, name string) bool {
	if e := v.entryOf(id); e != nil {
		return e.head.Role == role && (name == "" || name == e.head.Name)
	}
	// It may still be open, though a snapshot has dropped it or, being a span, it is no message.
	if o, open := v.open.Opened(KindText, id); open {
		start := o.Event.(*TextMessageStart)
		if cmp.Or(start.Role, RoleAssistant) != role || name != "" && name != start.Name {
			return false
		}
	}
	_, message := v.open.Opened(KindReasoning, id)
	_, span := v.open.Opened(KindSpan, id)
	return !message && !span || role == RoleReasoning
}

// keepsRoles reports whether a snapshot leaves the messages that are open what they are.
func (v *View) keepsRoles(messages []Message) bool {
	if len(v.open.Open(KindText, KindReasoning, KindSpan)) == 0 {
		return true
	}
	for i := range messages {
		m := &messages[i]
		if e := v.entryOf(m.ID); e != nil && v.isOpen(e) && e.head.Role != m.Role || e == nil && !v.standsFor(m.ID, m.Role, "") {
			return false
		}
	}
	return true
}
