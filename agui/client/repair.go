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
		warn(agui.Warning{Path: string(agui.TypeOf(e)), Reason: "is out of order as older servers have it, repaired"})
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
	if _, ended := e.(*agui.RunFinished); ended {
		return append(r.close(), e)
	}
	item, effect := agui.ItemOf(e)
	open := &r.messages
	switch item.Kind {
	case agui.KindReasoning:
	case agui.KindSpan:
		open = &r.spans
	default:
		return []agui.Event{e}
	}
	switch isOpen := slices.Contains(*open, item.ID); {
	case effect == agui.Opens && isOpen, effect == agui.Closes && !isOpen:
		return nil
	case effect == agui.Opens:
		*open = append(*open, item.ID)
	case effect == agui.Closes:
		*open = slices.DeleteFunc(*open, func(id string) bool { return id == item.ID })
	case !isOpen:
		*open = append(*open, item.ID)
		return []agui.Event{&agui.ReasoningMessageStart{Tagged: agui.Tagged{SubagentRunID: item.Owner},
			MessageID: item.ID, Role: agui.RoleReasoning}, e}
	}
	return []agui.Event{e}
}

func (r *reasoningRepair) close() []agui.Event {
	var ends []agui.Event
	for _, id := range r.messages {
		ends = append(ends, agui.Item{Kind: agui.KindReasoning, ID: id}.End())
	}
	for _, id := range r.spans {
		ends = append(ends, agui.Item{Kind: agui.KindSpan, ID: id}.End())
	}
	r.spans, r.messages = nil, nil
	return ends
}
