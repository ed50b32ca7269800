package client

import (
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// mends bring the reasoning of a stream before 1.0 into order, of which nobody took notice then: what is open twice, is
// closed twice, or is not closed at all. In a stream of 1.0 nothing is mended.
type mends struct {
	current bool // the run said that it is of 1.0 or later
	runs    int
	// nameless counts the reasoning that came without ids.
	nameless        int
	spans, messages []string // open, in order
}

// mend returns what an event is to be read as.
func (m *mends) mend(e agui.Event, warn func(agui.Warning)) ([]agui.Event, error) {
	switch e := e.(type) {
	case *agui.Unknown:
		return nil, nil
	case *agui.RunStarted:
		era, err := agui.EraOf(e.ProtocolVersion)
		if err != nil {
			return nil, err
		}
		m.current, m.spans, m.messages = era == agui.Era1, nil, nil
		m.runs++
	}
	m.name(e)
	if m.current {
		return []agui.Event{e}, nil
	}
	mended := m.older(e)
	if len(mended) != 1 && warn != nil {
		warn(agui.Warning{Path: string(e.EventType()), Reason: "is out of order as older servers have it, mended"})
	}
	return mended, nil
}

// name gives ids to reasoning that has none: a span is new, and what follows belongs to the newest one.
func (m *mends) name(e agui.Event) {
	var id *string
	switch e := e.(type) {
	case *agui.ReasoningStart:
		id = &e.MessageID
		if *id == "" {
			m.nameless++
		}
	case *agui.ReasoningMessageStart:
		id = &e.MessageID
		if *id == "" && len(m.spans) == 0 {
			m.nameless++
		}
	case *agui.ReasoningMessageContent:
		id = &e.MessageID
	case *agui.ReasoningMessageEnd:
		id = &e.MessageID
	case *agui.ReasoningEnd:
		id = &e.MessageID
	}
	if id != nil && *id == "" {
		*id = "thinking-" + strconv.Itoa(m.runs) + "-" + strconv.Itoa(m.nameless)
	}
}

// older mends one event of an older stream.
func (m *mends) older(e agui.Event) []agui.Event {
	switch v := e.(type) {
	case *agui.ReasoningStart:
		if slices.Contains(m.spans, v.MessageID) {
			return nil
		}
		m.spans = append(m.spans, v.MessageID)
	case *agui.ReasoningEnd:
		if !slices.Contains(m.spans, v.MessageID) {
			return nil
		}
		m.spans = without(m.spans, v.MessageID)
	case *agui.ReasoningMessageStart:
		if slices.Contains(m.messages, v.MessageID) {
			return nil
		}
		m.messages = append(m.messages, v.MessageID)
	case *agui.ReasoningMessageEnd:
		if !slices.Contains(m.messages, v.MessageID) {
			return nil
		}
		m.messages = without(m.messages, v.MessageID)
	case *agui.ReasoningMessageContent:
		if !slices.Contains(m.messages, v.MessageID) {
			m.messages = append(m.messages, v.MessageID)
			return []agui.Event{&agui.ReasoningMessageStart{Tagged: agui.Tagged{SubagentRunID: v.SubagentRunID}, MessageID: v.MessageID, Role: agui.RoleReasoning}, e}
		}
	case *agui.RunFinished:
		return append(m.close(), e)
	}
	return []agui.Event{e}
}

// close ends the reasoning that is open.
func (m *mends) close() []agui.Event {
	var ends []agui.Event
	for _, id := range m.messages {
		ends = append(ends, &agui.ReasoningMessageEnd{MessageID: id})
	}
	for _, id := range m.spans {
		ends = append(ends, &agui.ReasoningEnd{MessageID: id})
	}
	m.spans, m.messages = nil, nil
	return ends
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(s string) bool { return s == id })
}
