package agui

import (
	"cmp"
	"maps"
	"slices"
)

// An opening is where something with an id was opened and not closed since.
type opening struct {
	seq   int
	owner string // the subagent it belongs to
	role  Role   // of the message, as it was opened
	name  string
}

// A scope is an open step or subagent, or a subagent that ended before one of those it started.
type scope struct {
	step     *StepStarted
	subagent *SubagentStarted
	ended    Event // SUBAGENT_FINISHED or SUBAGENT_ERROR
}

// track follows the events that open and close things without an effect on messages.
func (v *View) track(e Event) {
	switch e := e.(type) {
	case *ReasoningStart:
		v.seq++
		v.spans[e.MessageID] = opening{seq: v.seq, owner: e.SubagentRunID}
	case *ReasoningEnd:
		delete(v.spans, e.MessageID)
	case *StepStarted:
		v.scopes = append(v.scopes, scope{step: e})
	case *StepFinished:
		v.scopes = slices.DeleteFunc(v.scopes, func(s scope) bool {
			return s.step != nil && s.step.StepName == e.StepName && s.step.SubagentRunID == e.SubagentRunID
		})
	case *SubagentStarted:
		v.scopes = append(v.scopes, scope{subagent: e})
	case *SubagentFinished:
		v.endSubagent(e.SubagentRunID, e)
	case *SubagentError:
		v.endSubagent(e.SubagentRunID, e)
	}
}

// endSubagent forgets an invocation, unless one it started is still there: that one cannot be announced again
// without its parent.
func (v *View) endSubagent(id string, end Event) {
	for i := range v.scopes {
		if s := v.scopes[i].subagent; s != nil && s.SubagentRunID == id {
			v.scopes[i].ended = end
		}
	}
	for before := -1; before != len(v.scopes); {
		before = len(v.scopes)
		v.scopes = slices.DeleteFunc(v.scopes, func(s scope) bool {
			return s.ended != nil && !v.hasChild(s.subagent.SubagentRunID)
		})
	}
}

func (v *View) hasChild(id string) bool {
	return slices.ContainsFunc(v.scopes, func(s scope) bool {
		return s.subagent != nil && s.subagent.ParentSubagentRunID == id
	})
}

// subagentActive reports whether the invocation was announced in this run and has not ended.
func (v *View) subagentActive(id string) bool {
	return slices.ContainsFunc(v.scopes, func(s scope) bool {
		return s.subagent != nil && s.subagent.SubagentRunID == id && s.ended == nil
	})
}

// closeAll forgets what is open: the run abandoned it.
func (v *View) closeAll() {
	clear(v.texts)
	clear(v.reasoning)
	clear(v.spans)
	v.scopes = nil
	for _, c := range v.started {
		c.open = false
	}
}

// forgetRun makes what an earlier run did plain history.
func (v *View) forgetRun() {
	v.closeAll()
	for _, c := range v.started {
		c.order = 0
		if c.in == nil {
			delete(v.calls, c.id)
		}
	}
	v.started = nil
}

// isOpen reports whether text or reasoning can still be added to e.
func (v *View) isOpen(e *entry) bool {
	_, text := v.texts[e.head.ID]
	_, reasoning := v.reasoning[e.head.ID]
	return (text || reasoning) && v.byID[e.head.ID] == e
}

// inOrder returns the ids of what is open, in the order it was opened.
func inOrder(open map[string]opening) []string {
	return slices.SortedFunc(maps.Keys(open), func(a, b string) int {
		return cmp.Compare(open[a].seq, open[b].seq)
	})
}

// ClosingOptions say how the subagents that are still active end. The zero value lets them finish.
type ClosingOptions struct {
	// SubagentCode and SubagentMessage, if either is set, end them with SUBAGENT_ERROR.
	SubagentCode    string
	SubagentMessage string
	// Interrupts, if there are any, suspend them instead, each naming those that are its own.
	Interrupts []Interrupt
}

// Closing returns the events that close whatever is open, innermost first: messages and calls, spans, then steps and
// subagents the other way round from how they were opened. What chunks opened is left to close itself.
func (v *View) Closing(o ClosingOptions) []Event {
	var events []Event
	for _, c := range v.closings(o) {
		events = append(events, c.event)
	}
	return events
}

// A closing is an event that closes something, and who owns that.
type closing struct {
	event Event
	owner string
}

// closings are what [View.Closing] returns. The ends of messages and calls are not tagged: so they are in order whoever
// owns them by now.
func (v *View) closings(o ClosingOptions) []closing {
	var all []closing
	for _, id := range slices.Backward(inOrder(v.texts)) {
		if !v.lanes.holds(kindText, id) {
			all = append(all, closing{&TextMessageEnd{MessageID: id}, v.texts[id].owner})
		}
	}
	for _, c := range slices.Backward(v.started) {
		if c.open && !v.lanes.holds(kindToolCall, c.id) {
			all = append(all, closing{&ToolCallEnd{ToolCallID: c.id}, c.owner})
		}
	}
	for _, id := range slices.Backward(inOrder(v.reasoning)) {
		if !v.lanes.holds(kindReasoning, id) {
			all = append(all, closing{&ReasoningMessageEnd{MessageID: id}, v.reasoning[id].owner})
		}
	}
	for _, id := range slices.Backward(inOrder(v.spans)) {
		all = append(all, closing{&ReasoningEnd{MessageID: id}, v.spans[id].owner})
	}
	for _, s := range slices.Backward(v.scopes) {
		switch {
		case s.step != nil:
			owner := s.step.SubagentRunID
			all = append(all, closing{&StepFinished{Tagged: tagged(owner), StepName: s.step.StepName}, owner})
		case s.ended == nil:
			all = append(all, closing{o.end(s.subagent.SubagentRunID), s.subagent.SubagentRunID})
		}
	}
	return all
}

// end returns the event that ends the invocation id.
func (o ClosingOptions) end(id string) Event {
	if o.SubagentCode != "" || o.SubagentMessage != "" {
		return &SubagentError{SubagentRunID: id, Code: o.SubagentCode, Message: o.SubagentMessage}
	}
	if len(o.Interrupts) == 0 {
		return &SubagentFinished{SubagentRunID: id}
	}
	outcome := &SubagentOutcome{Type: OutcomeSuspended}
	for _, i := range o.Interrupts {
		if i.SubagentRunID == id {
			outcome.InterruptIDs = append(outcome.InterruptIDs, i.ID)
		}
	}
	return &SubagentFinished{SubagentRunID: id, Outcome: outcome}
}

func tagged(owner string) Tagged { return Tagged{SubagentRunID: owner} }
