package run

import "github.com/agui-gateway/gateway/agui"

// tagOpener tags an opening event with the owner of its item. The protocol's order rules learn owners from the run's
// events only; a reader who joins learns them from the messages in the prelude. Both must agree, so an untagged opener
// of an owned item gets its tag, and a subagent needs a parent that is still active: ended ones are not announced.
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
			e.SubagentRunID = owner // the existing item and its owner stay
		}
	case *agui.ToolCallStart:
		r.inherit(&e.SubagentRunID, agui.KindText, e.ParentMessageID)
		r.inherit(&e.SubagentRunID, agui.KindToolCall, e.ToolCallID)
	case *agui.SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.open.Active(parent) {
			return &agui.OrderError{Rule: agui.RuleUnknownParent, Type: e.EventType(), Kind: agui.KindSubagent,
				ID: parent}
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
