package agui

import (
	"slices"
	"strconv"
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
func (m *mends) mend(e Event, warn func(Warning)) ([]Event, error) {
	switch e := e.(type) {
	case *Unknown:
		return nil, nil
	case *RunStarted:
		era, err := EraOf(e.ProtocolVersion)
		if err != nil {
			return nil, err
		}
		m.current, m.spans, m.messages = era == Era1, nil, nil
		m.runs++
	}
	m.name(e)
	if m.current {
		return []Event{e}, nil
	}
	mended := m.older(e)
	if len(mended) != 1 && warn != nil {
		warn(Warning{Path: string(e.EventType()), Reason: "is out of order as older servers have it, mended"})
	}
	return mended, nil
}

// name gives ids to reasoning that has none: a span is new, and what follows belongs to the newest one.
func (m *mends) name(e Event) {
	var id *string
	switch e := e.(type) {
	case *ReasoningStart:
		id = &e.MessageID
		if *id == "" {
			m.nameless++
		}
	case *ReasoningMessageStart:
		id = &e.MessageID
		if *id == "" && len(m.spans) == 0 {
			m.nameless++
		}
	case *ReasoningMessageContent:
		id = &e.MessageID
	case *ReasoningMessageEnd:
		id = &e.MessageID
	case *ReasoningEnd:
		id = &e.MessageID
	}
	if id != nil && *id == "" {
		*id = "thinking-" + strconv.Itoa(m.runs) + "-" + strconv.Itoa(m.nameless)
	}
}

// older mends one event of an older stream.
func (m *mends) older(e Event) []Event {
	switch v := e.(type) {
	case *ReasoningStart:
		if slices.Contains(m.spans, v.MessageID) {
			return nil
		}
		m.spans = append(m.spans, v.MessageID)
	case *ReasoningEnd:
		if !slices.Contains(m.spans, v.MessageID) {
			return nil
		}
		m.spans = without(m.spans, v.MessageID)
	case *ReasoningMessageStart:
		if slices.Contains(m.messages, v.MessageID) {
			return nil
		}
		m.messages = append(m.messages, v.MessageID)
	case *ReasoningMessageEnd:
		if !slices.Contains(m.messages, v.MessageID) {
			return nil
		}
		m.messages = without(m.messages, v.MessageID)
	case *ReasoningMessageContent:
		if !slices.Contains(m.messages, v.MessageID) {
			m.messages = append(m.messages, v.MessageID)
			return []Event{&ReasoningMessageStart{Tagged: Tagged{SubagentRunID: v.SubagentRunID}, MessageID: v.MessageID, Role: RoleReasoning}, e}
		}
	case *RunFinished:
		return append(m.close(), e)
	}
	return []Event{e}
}

// close ends the reasoning that is open.
func (m *mends) close() []Event {
	var ends []Event
	for _, id := range m.messages {
		ends = append(ends, &ReasoningMessageEnd{MessageID: id})
	}
	for _, id := range m.spans {
		ends = append(ends, &ReasoningEnd{MessageID: id})
	}
	m.spans, m.messages = nil, nil
	return ends
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(s string) bool { return s == id })
}
