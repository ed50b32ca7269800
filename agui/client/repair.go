package client

import (
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// A reasoningRepair repairs the reasoning of a stream before 1.0, which clients did not check then: it drops duplicate
// starts and ends, and closes open items. A stream of 1.0 is not repaired.
type reasoningRepair struct {
	current bool // the run's protocol version is 1.0 or later
	runs    int
	// nameless counts reasoning without ids.
	nameless        int
	spans, messages []string // open, in order
}

// repair returns the events that take the place of e, nil for an event of an unknown type.
func (r *reasoningRepair) repair(e agui.Event, warn func(agui.Warning)) ([]agui.Event, error) {
	switch e := e.(type) {
	case *agui.Unknown:
		return nil, nil
	case *agui.RunStarted:
		era, err := agui.EraOf(e.ProtocolVersion)
		if err != nil {
			return nil, err
		}
		r.current, r.spans, r.messages = era == agui.Era1, nil, nil
		r.runs++
	}
	r.name(e)
	if r.current {
		return []agui.Event{e}, nil
	}
	repaired := r.repairOlder(e)
	if len(repaired) != 1 && warn != nil {
		warn(agui.Warning{Path: string(e.EventType()), Reason: "is out of order as older servers have it, repaired"})
	}
	return repaired, nil
}

// name gives ids to reasoning that has none: a span is new, and what follows belongs to the newest one.
func (r *reasoningRepair) name(e agui.Event) {
	var id *string
	switch e := e.(type) {
	case *agui.ReasoningStart:
		id = &e.MessageID
		if *id == "" {
			r.nameless++
		}
	case *agui.ReasoningMessageStart:
		id = &e.MessageID
		if *id == "" && len(r.spans) == 0 {
			r.nameless++
		}
	case *agui.ReasoningMessageContent:
		id = &e.MessageID
	case *agui.ReasoningMessageEnd:
		id = &e.MessageID
	case *agui.ReasoningEnd:
		id = &e.MessageID
	}
	if id != nil && *id == "" {
		*id = "thinking-" + strconv.Itoa(r.runs) + "-" + strconv.Itoa(r.nameless)
	}
}

// repairOlder repairs one event of a stream before 1.0.
func (r *reasoningRepair) repairOlder(e agui.Event) []agui.Event {
	switch v := e.(type) {
	case *agui.ReasoningStart:
		if slices.Contains(r.spans, v.MessageID) {
			return nil
		}
		r.spans = append(r.spans, v.MessageID)
	case *agui.ReasoningEnd:
		if !slices.Contains(r.spans, v.MessageID) {
			return nil
		}
		r.spans = remove(r.spans, v.MessageID)
	case *agui.ReasoningMessageStart:
		if slices.Contains(r.messages, v.MessageID) {
			return nil
		}
		r.messages = append(r.messages, v.MessageID)
	case *agui.ReasoningMessageEnd:
		if !slices.Contains(r.messages, v.MessageID) {
			return nil
		}
		r.messages = remove(r.messages, v.MessageID)
	case *agui.ReasoningMessageContent:
		if !slices.Contains(r.messages, v.MessageID) {
			r.messages = append(r.messages, v.MessageID)
			return []agui.Event{&agui.ReasoningMessageStart{Tagged: agui.Tagged{SubagentRunID: v.SubagentRunID},
				MessageID: v.MessageID, Role: agui.RoleReasoning}, e}
		}
	case *agui.RunFinished:
		return append(r.close(), e)
	}
	return []agui.Event{e}
}

func (r *reasoningRepair) close() []agui.Event {
	var ends []agui.Event
	for _, id := range r.messages {
		ends = append(ends, &agui.ReasoningMessageEnd{MessageID: id})
	}
	for _, id := range r.spans {
		ends = append(ends, &agui.ReasoningEnd{MessageID: id})
	}
	r.spans, r.messages = nil, nil
	return ends
}

func remove(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(s string) bool { return s == id })
}
