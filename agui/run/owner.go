package run

import "github.com/agui-gateway/gateway/agui"

// tagOpener tags an opener with the owner of what it opens. The protocol's order rules learn them from the run's events
// only; a reader who joins learns them from the messages in the prelude. They must come to the same verdicts, so an
// untagged opener of something that has an owner gets its tag, and a subagent needs a parent that is still active,
// because one that ended is not announced again.
func (r *Run) tagOpener(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		r.inherit(&e.SubagentRunID, agui.KindText, e.MessageID)
	case *agui.ReasoningMessageStart:
		r.inherit(&e.SubagentRunID, agui.KindReasoning, e.MessageID)
	case *agui.ReasoningStart:
		r.inherit(&e.SubagentRunID, agui.KindSpan, e.MessageID)
	case *agui.ActivitySnapshot:
		if owner, known := r.view.open.Owner(agui.KindActivity, e.MessageID); known && e.Replace != nil && !*e.Replace {
			e.SubagentRunID = owner // what is there stays, its owner too
		}
	case *agui.ToolCallStart:
		r.inherit(&e.SubagentRunID, agui.KindText, e.ParentMessageID)
		r.inherit(&e.SubagentRunID, agui.KindToolCall, e.ToolCallID)
	case *agui.SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.open.Active(parent) {
			return &agui.OrderError{Rule: agui.RuleUnknownParent, Type: e.EventType(), Kind: agui.KindSubagent, ID: parent}
		}
	}
	return nil
}

// inherit tags an opener with the owner its id has already.
func (r *Run) inherit(tag *string, kind agui.Kind, id string) {
	if *tag == "" && id != "" {
		*tag, _ = r.view.open.Owner(kind, id)
	}
}
