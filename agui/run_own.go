package agui

// tagOpener makes the owners of this run known to everyone. The protocol's order rules learn them from the run's events
// only; a reader who joins learns them from the messages in the prelude. They must come to the same verdicts, so an
// untagged opener of something that has an owner gets its tag, and a subagent needs a parent that is still active,
// because one that ended is not announced again.
func (r *Run) tagOpener(e Event) error {
	switch e := e.(type) {
	case *TextMessageStart:
		r.inherit(&e.SubagentRunID, KindText, e.MessageID)
	case *ReasoningMessageStart:
		r.inherit(&e.SubagentRunID, KindReasoning, e.MessageID)
	case *ReasoningStart:
		r.inherit(&e.SubagentRunID, KindSpan, e.MessageID)
	case *ActivitySnapshot:
		if owner, known := r.view.open.Owner(KindActivity, e.MessageID); known && e.Replace != nil && !*e.Replace {
			e.SubagentRunID = owner // what is there stays, its owner too
		}
	case *ToolCallStart:
		r.inherit(&e.SubagentRunID, KindText, e.ParentMessageID)
		r.inherit(&e.SubagentRunID, KindToolCall, e.ToolCallID)
	case *SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.open.Active(parent) {
			return &OrderError{Rule: RuleUnknownParent, Type: e.EventType(), Kind: KindSubagent, ID: parent}
		}
	}
	return nil
}

// inherit tags an opener with the owner its id has already.
func (r *Run) inherit(tag *string, kind Kind, id string) {
	if *tag == "" && id != "" {
		*tag, _ = r.view.open.Owner(kind, id)
	}
}
