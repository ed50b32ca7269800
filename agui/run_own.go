package agui

// own makes the owners of this run known to everyone. The protocol's order rules learn them from the run's events
// only; a reader who joins learns them from the messages in the prelude. They must come to the same verdicts, so an
// untagged opener of something that has an owner gets its tag, and a subagent needs a parent that is still active,
// because one that ended is not announced again.
func (r *Run) own(e Event) error {
	switch e := e.(type) {
	case *TextMessageStart:
		inherit(&e.SubagentRunID, &r.verifier.texts, e.MessageID)
	case *ReasoningMessageStart:
		inherit(&e.SubagentRunID, &r.verifier.reasoning, e.MessageID)
	case *ReasoningStart:
		inherit(&e.SubagentRunID, &r.verifier.reasoning, e.MessageID)
	case *ActivitySnapshot:
		if known, ok := r.verifier.activity.byID[e.MessageID]; ok && e.Replace != nil && !*e.Replace {
			e.SubagentRunID = known.owner // what is there stays, its owner too
		}
	case *ToolCallStart:
		inherit(&e.SubagentRunID, &r.verifier.texts, e.ParentMessageID)
		inherit(&e.SubagentRunID, &r.verifier.toolCalls, e.ToolCallID)
	case *SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.subagentActive(parent) {
			return &OrderError{Rule: RuleUnknownParent, Type: e.EventType(), Kind: kindSubagent, ID: parent}
		}
	}
	return nil
}

// inherit tags an opener with the owner its id has already.
func inherit(tag *string, known *entities, id string) {
	if *tag == "" && id != "" {
		*tag = known.byID[id].owner
	}
}

// learn tells the Verifier of the owners that the view knows and e does not say: those of the thread's messages when
// the run begins, and that of the message a call makes.
func (r *Run) learn(e Event) {
	switch e := e.(type) {
	case *RunStarted:
		if r.view.earlier == nil { // else as soon as they are read
			r.verifier.restate(r.view.Messages())
		}
	case *ToolCallStart:
		m := &r.view.calls[e.ToolCallID].in.head
		r.verifier.texts.claim(m.ID, m.SubagentRunID)
	}
}
