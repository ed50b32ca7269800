package agui

// own holds e against the owners of what it continues, and gives an untagged opener the tag it inherits. The
// protocol knows owners from this run's events only. A reader who joins learns them from the messages themselves, and
// must come to the same verdicts.
func (r *Run) own(e Event) error {
	var m *entry
	kind, id := kindText, ""
	switch e := e.(type) {
	case *TextMessageStart:
		inherit(&e.SubagentRunID, &r.verifier.texts, e.MessageID)
		m, id = r.view.byID[e.MessageID], e.MessageID
	case *ReasoningMessageStart:
		inherit(&e.SubagentRunID, &r.verifier.reasoning, e.MessageID)
		m, kind, id = r.view.byID[e.MessageID], kindReasoning, e.MessageID
	case *ReasoningStart:
		m, kind, id = r.view.byID[e.MessageID], kindSpan, e.MessageID
	case *ToolCallStart:
		m, kind, id = r.view.callerOf(e), kindToolCall, e.ToolCallID
		if m == nil {
			inherit(&e.SubagentRunID, &r.verifier.texts, e.ParentMessageID)
			inherit(&e.SubagentRunID, &r.verifier.toolCalls, e.ToolCallID)
		}
	case *ActivityDelta:
		m, kind, id = r.view.byID[e.MessageID], kindActivity, e.MessageID
	case *ReasoningEncryptedValue:
		if c := r.view.calls[e.EntityID]; e.Subtype == EncryptedToolCall && c != nil {
			m = c.in
		} else if e.Subtype == EncryptedMessage {
			m = r.view.byID[e.EntityID]
		}
		kind, id = string(e.Subtype), e.EntityID
	case *SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.subagentActive(parent) {
			return &OrderError{Rule: RuleUnknownParent, Type: e.EventType(), Kind: kindSubagent, ID: parent}
		}
		return nil
	default:
		return nil
	}
	if m != nil && !agrees(SubagentOf(e), m.head.SubagentRunID) {
		return &OrderError{Rule: RuleOwner, Type: e.EventType(), Kind: kind, ID: id}
	}
	return nil
}

// inherit tags an opener with the owner its id has already.
func inherit(tag *string, known *entities, id string) {
	if *tag == "" && id != "" {
		*tag = known.byID[id].owner
	}
}

// callerOf returns the message a call belongs to or will be attached to, nil if it will make one.
func (v *View) callerOf(e *ToolCallStart) *entry {
	if c := v.calls[e.ToolCallID]; c != nil && c.in != nil {
		return c.in
	}
	if m := v.byID[e.ParentMessageID]; m != nil && m.head.Role == RoleAssistant {
		return m
	}
	return nil
}
