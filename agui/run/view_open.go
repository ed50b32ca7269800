package run

import (
	"cmp"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// forgetRun makes what an earlier run did plain history.
func (v *View) forgetRun() {
	for _, c := range v.started {
		c.order = 0
		if c.in == nil {
			delete(v.calls, c.id)
		}
	}
	v.started = nil
	for id, result := range v.past {
		v.answered[id] = cmp.Or(v.answered[id], result)
	}
	clear(v.past)
}

// isOpen reports whether text or reasoning can still be added to e.
func (v *View) isOpen(e *entry) bool {
	_, text := v.open.Opened(agui.KindText, e.head.ID)
	_, reasoning := v.open.Opened(agui.KindReasoning, e.head.ID)
	return (text || reasoning) && v.byID[e.head.ID] == e
}

// ClosingOptions select how subagents that are still active end. The zero value lets them finish.
type ClosingOptions struct {
	// SubagentCode and SubagentMessage, if either is set, end them with SUBAGENT_ERROR.
	SubagentCode    string
	SubagentMessage string
	// Interrupts, if there are any, suspend them instead, each naming those that are its own.
	Interrupts []agui.Interrupt
}

// Closing returns the events that close open items, innermost first.
func (v *View) Closing(o ClosingOptions) []agui.Event {
	var events []agui.Event
	for _, opening := range v.closing() {
		events = append(events, o.end(opening))
	}
	return events
}

// closing returns the open items in the order in which [View.Closing] closes them.
func (v *View) closing() []agui.Opening {
	var all []agui.Opening
	for _, kinds := range [][]agui.Kind{{agui.KindText}, {agui.KindToolCall}, {agui.KindReasoning}, {agui.KindSpan},
		{agui.KindStep, agui.KindSubagent}} {
		for _, o := range slices.Backward(v.open.Open(kinds...)) {
			if o.Ended == nil {
				all = append(all, o)
			}
		}
	}
	return all
}

// end returns the event that closes an item. The ends of messages and calls are untagged, and so valid for any owner.
func (o ClosingOptions) end(opening agui.Opening) agui.Event {
	item := opening.Item
	switch item.Kind {
	case agui.KindSubagent:
		return o.endSubagent(item.ID)
	case agui.KindStep:
	default:
		item.Owner = ""
	}
	return item.End()
}

// endSubagent returns the event that ends the invocation id.
func (o ClosingOptions) endSubagent(id string) agui.Event {
	if o.SubagentCode != "" || o.SubagentMessage != "" {
		return &agui.SubagentError{SubagentRunID: id, Code: o.SubagentCode, Message: o.SubagentMessage}
	}
	if len(o.Interrupts) == 0 {
		return &agui.SubagentFinished{SubagentRunID: id}
	}
	outcome := &agui.SubagentOutcome{Type: agui.OutcomeSuspended}
	for _, i := range o.Interrupts {
		if i.SubagentRunID == id {
			outcome.InterruptIDs = append(outcome.InterruptIDs, i.ID)
		}
	}
	return &agui.SubagentFinished{SubagentRunID: id, Outcome: outcome}
}

func tagOf(owner string) agui.Tagged { return agui.Tagged{SubagentRunID: owner} }
