package run

import "github.com/agui-gateway/gateway/agui"

// tagOpener tags an opening event with the owner of its item. The protocol's order rules learn owners from the run's
// events only; a reader who joins learns them from the messages in the prelude. Both must agree, so an untagged opener
// of an owned item gets its tag, and a subagent needs a parent that is still active: ended ones are not announced.
func (r *Run) tagOpener(e agui.Event, item agui.Item, effect agui.Effect) error {
	if effect == agui.Opens {
		if call, ok := e.(*agui.ToolCallStart); ok {
			r.inherit(e, agui.KindText, call.ParentMessageID)
		}
		r.inherit(e, item.Kind, item.ID)
		return nil
	}
	switch e := e.(type) {
	case *agui.ActivitySnapshot:
		if owner, known := r.view.open.Owner(agui.KindActivity, e.MessageID); known && e.Replace != nil && !*e.Replace {
			e.SubagentRunID = owner // the existing item and its owner stay
		}
	case *agui.SubagentStarted:
		if parent := e.ParentSubagentRunID; parent != "" && !r.view.open.Active(parent) {
			return &agui.OrderError{Rule: agui.RuleUnknownParent, Type: agui.TypeOf(e), Kind: agui.KindSubagent,
				ID: parent}
		}
	}
	return nil
}

// inherit tags an opener with the owner its id has already.
func (r *Run) inherit(e agui.Event, kind agui.Kind, id string) {
	if agui.SubagentOf(e) == "" && id != "" {
		owner, _ := r.view.open.Owner(kind, id)
		agui.Attribute(e, owner)
	}
}
