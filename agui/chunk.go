package agui

import "slices"

// An Expander turns chunks into the starts, contents and ends they stand for, as the protocol's own client does before
// it looks at the order of events. The zero value is ready for the first event of a stream. An Expander belongs to one
// stream and is not safe for concurrent use.
type Expander struct {
	// Forgiving takes an explicit end of what chunks opened for the end that closes it. The protocol's own client
	// refuses it as a second end.
	Forgiving bool

	lanes []lane // in the order they were opened
}

// A lane is the stream one agent is assembling from chunks. The shorthand says "as before" and nothing else, so an
// agent, the parent or a subagent, has at most one. A chunk is described by the lane it asks for: what it leaves out
// is empty.
type lane struct {
	owner string // the tag; empty is the parent agent
	kind  Kind   // KindText, KindToolCall or KindReasoning
	id    string

	// What the opener establishes and later chunks may only repeat.
	role, name, parent string
}

// Concerns reports whether [Expander.Expand] might return anything but e itself: e is a chunk, or might close what
// chunks opened. Nearly always it is neither.
func (x *Expander) Concerns(e Event) bool {
	if len(x.lanes) > 0 {
		return true
	}
	switch e.(type) {
	case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
		return true
	}
	return false
}

// Expand returns the events that e implies, after the ends of items that it closes; none for an empty chunk. It returns
// an [*OrderError] for a chunk that fits nowhere.
func (x *Expander) Expand(e Event) ([]Event, error) {
	events, err := x.expand(e)
	if err != nil {
		err.Type = e.EventType()
		return nil, err
	}
	return events, nil
}

func (x *Expander) expand(e Event) ([]Event, *OrderError) {
	owner := SubagentOf(e)
	switch c := e.(type) {
	case *TextMessageChunk:
		return x.chunk(e, c.Delta, lane{
			owner: c.SubagentRunID, kind: KindText, id: c.MessageID, role: string(c.Role), name: c.Name,
		})
	case *ToolCallChunk:
		return x.chunk(e, c.Delta, lane{
			owner: c.SubagentRunID, kind: KindToolCall, id: c.ToolCallID, name: c.ToolCallName,
			parent: c.ParentMessageID,
		})
	case *ReasoningMessageChunk:
		return x.chunk(e, c.Delta, lane{owner: c.SubagentRunID, kind: KindReasoning, id: c.MessageID})
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted, *Unknown:
		return []Event{e}, nil // beside the stream
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		return append(x.Close(), e), nil
	case *SubagentFinished, *SubagentError:
		if owner == "" {
			return []Event{e}, nil // it never touches the parent's lane
		}
	case *TextMessageEnd:
		x.release(KindText, c.MessageID, c.SubagentRunID)
	case *ToolCallEnd:
		x.release(KindToolCall, c.ToolCallID, c.SubagentRunID)
	case *ReasoningMessageEnd:
		x.release(KindReasoning, c.MessageID, c.SubagentRunID)
	}
	return append(x.CloseOf(owner), e), nil
}

// release forgets the lane of something that has an explicit end, if that is forgiven.
func (x *Expander) release(kind Kind, id, tag string) {
	if x.Forgiving {
		x.lanes = slices.DeleteFunc(x.lanes, func(l lane) bool {
			return l.kind == kind && l.id == id && agrees(tag, l.owner)
		})
	}
}

// Close returns the ends of everything that chunks have open, in the order it was opened, and forgets it.
func (x *Expander) Close() []Event { return x.close(func(lane) bool { return true }) }

// CloseOf is Close for what one agent has open: a subagent invocation, or the parent agent if it is empty.
func (x *Expander) CloseOf(subagentRunID string) []Event {
	return x.close(func(l lane) bool { return l.owner == subagentRunID })
}

// close ends the lanes that match and returns their ends.
func (x *Expander) close(match func(lane) bool) []Event {
	var ends []Event
	x.lanes = slices.DeleteFunc(x.lanes, func(l lane) bool {
		if !match(l) {
			return false
		}
		ends = append(ends, l.end())
		return true
	})
	return ends
}

// Abandon forgets what e, the start that a chunk stood for, was to open: it was refused.
func (x *Expander) Abandon(e Event) {
	x.lanes = slices.DeleteFunc(x.lanes, func(l lane) bool {
		switch e := e.(type) {
		case *TextMessageStart:
			return l.kind == KindText && l.id == e.MessageID
		case *ToolCallStart:
			return l.kind == KindToolCall && l.id == e.ToolCallID
		case *ReasoningMessageStart:
			return l.kind == KindReasoning && l.id == e.MessageID
		}
		return false
	})
}

// chunk expands one chunk, described by the lane it asks for.
func (x *Expander) chunk(e Event, delta *string, c lane) ([]Event, *OrderError) {
	refuse := func(rule OrderRule) ([]Event, *OrderError) {
		return nil, &OrderError{Rule: rule, Kind: c.kind, ID: c.id}
	}
	open, rule := x.find(c)
	if rule != "" {
		return refuse(rule)
	}
	b := e.base()
	if open != nil && open.kind == c.kind && (c.id == "" || c.id == open.id) {
		if !agrees(c.role, open.role) || !agrees(c.name, open.name) || !agrees(c.parent, open.parent) {
			return refuse(RuleChunkChanged)
		}
		if delta == nil && b.RawEvent == nil && b.Metadata == nil {
			return nil, nil // it adds nothing, so nothing about it can be out of order
		}
		return []Event{open.content(delta, b)}, nil
	}
	if c.id == "" || c.kind == KindToolCall && c.name == "" {
		return refuse(RuleChunkOpener)
	}
	if c.kind == KindText && c.role == "" {
		c.role = string(RoleAssistant)
	}
	events := append(x.CloseOf(c.owner), c.start(b))
	x.lanes = append(x.lanes, c)
	if delta != nil || b.RawEvent != nil {
		events = append(events, c.content(delta, b))
	}
	return events, nil
}

// find returns the lane a chunk belongs to, nil if it has to open one.
func (x *Expander) find(c lane) (*lane, OrderRule) {
	var same []*lane // of the chunk's kind
	var own *lane
	for i := range x.lanes {
		l := &x.lanes[i]
		if l.owner == c.owner {
			own = l
		}
		if l.kind != c.kind {
			continue
		}
		if c.id != "" && l.id == c.id {
			if !agrees(c.owner, l.owner) {
				return nil, RuleOwner
			}
			return l, ""
		}
		same = append(same, l)
	}
	if c.id != "" || c.owner != "" || (own != nil && own.kind == c.kind) {
		return own, ""
	}
	switch len(same) {
	case 0:
		return own, ""
	case 1:
		return same[0], ""
	}
	return nil, RuleChunkAmbiguous
}

func (l lane) start(b *Base) Event {
	t := Tagged{Base: Base{Timestamp: b.Timestamp, Metadata: b.Metadata}, SubagentRunID: l.owner}
	switch l.kind {
	case KindText:
		return &TextMessageStart{Tagged: t, MessageID: l.id, Role: Role(l.role), Name: l.name}
	case KindToolCall:
		return &ToolCallStart{Tagged: t, ToolCallID: l.id, ToolCallName: l.name, ParentMessageID: l.parent}
	default:
		return &ReasoningMessageStart{Tagged: t, MessageID: l.id, Role: RoleReasoning}
	}
}

func (l lane) content(delta *string, b *Base) Event {
	t := Tagged{Base: *b, SubagentRunID: l.owner}
	text := ""
	if delta != nil {
		text = *delta
	}
	switch l.kind {
	case KindText:
		return &TextMessageContent{Tagged: t, MessageID: l.id, Delta: text}
	case KindToolCall:
		return &ToolCallArgs{Tagged: t, ToolCallID: l.id, Delta: text}
	default:
		return &ReasoningMessageContent{Tagged: t, MessageID: l.id, Delta: text}
	}
}

func (l lane) end() Event {
	t := Tagged{SubagentRunID: l.owner}
	switch l.kind {
	case KindText:
		return &TextMessageEnd{Tagged: t, MessageID: l.id}
	case KindToolCall:
		return &ToolCallEnd{Tagged: t, ToolCallID: l.id}
	default:
		return &ReasoningMessageEnd{Tagged: t, MessageID: l.id}
	}
}
