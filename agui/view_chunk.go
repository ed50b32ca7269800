package agui

import "slices"

// An expander turns chunks into the starts, contents and ends they stand for. The log holds no chunk, so that a
// reader may join anywhere; a View of a foreign stream meets them. The zero value is ready.
type expander struct {
	lanes []lane // see verify_chunk.go; in the order they were opened
}

// concerns reports whether e is a chunk or might close what chunks opened. Nearly always it is neither.
func (x *expander) concerns(e Event) bool {
	if len(x.lanes) > 0 {
		return true
	}
	switch e.(type) {
	case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
		return true
	}
	return false
}

// holds reports whether chunks are opening or have opened the entity and nothing has closed it yet.
func (x *expander) holds(kind, id string) bool {
	return slices.ContainsFunc(x.lanes, func(l lane) bool { return l.kind == kind && l.id == id })
}

// expand returns what e stands for, after the ends of what it closes. It fails with an [*OrderError] for a chunk
// that fits nowhere.
func (x *expander) expand(e Event) ([]Event, error) {
	switch c := e.(type) {
	case *TextMessageChunk:
		return x.chunk(e, c.Delta, lane{
			owner: c.SubagentRunID, kind: kindText, id: c.MessageID, role: string(c.Role), name: c.Name,
		})
	case *ToolCallChunk:
		return x.chunk(e, c.Delta, lane{
			owner: c.SubagentRunID, kind: kindToolCall, id: c.ToolCallID, name: c.ToolCallName, parent: c.ParentMessageID,
		})
	case *ReasoningMessageChunk:
		return x.chunk(e, c.Delta, lane{owner: c.SubagentRunID, kind: kindReasoning, id: c.MessageID})
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted, *Unknown:
		return []Event{e}, nil
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		return append(x.closeAll(), e), nil
	case *TextMessageEnd:
		x.release(kindText, c.MessageID, c.SubagentRunID)
	case *ToolCallEnd:
		x.release(kindToolCall, c.ToolCallID, c.SubagentRunID)
	case *ReasoningMessageEnd:
		x.release(kindReasoning, c.MessageID, c.SubagentRunID)
	}
	owner := SubagentOf(e)
	return append(x.close(func(l lane) bool { return l.owner == owner }), e), nil
}

// release forgets the lane of something that is ended in so many words.
func (x *expander) release(kind, id, tag string) {
	x.lanes = slices.DeleteFunc(x.lanes, func(l lane) bool {
		return l.kind == kind && l.id == id && agrees(tag, l.owner)
	})
}

// closeAll ends all lanes and returns their ends.
func (x *expander) closeAll() []Event { return x.close(func(lane) bool { return true }) }

// close ends the lanes that match and returns their ends.
func (x *expander) close(match func(lane) bool) []Event {
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

// abandon forgets the lane of a start that could not be used.
func (x *expander) abandon(e Event) {
	x.lanes = slices.DeleteFunc(x.lanes, func(l lane) bool {
		switch e := e.(type) {
		case *TextMessageStart:
			return l.kind == kindText && l.id == e.MessageID
		case *ToolCallStart:
			return l.kind == kindToolCall && l.id == e.ToolCallID
		case *ReasoningMessageStart:
			return l.kind == kindReasoning && l.id == e.MessageID
		}
		return false
	})
}

// chunk expands one chunk, described by the lane it asks for.
func (x *expander) chunk(e Event, delta *string, c lane) ([]Event, error) {
	refuse := func(rule OrderRule) ([]Event, error) {
		return nil, &OrderError{Rule: rule, Type: e.EventType(), Kind: c.kind, ID: c.id}
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
		if !carries(delta, b) {
			return nil, nil
		}
		return []Event{open.content(delta, b)}, nil
	}
	if c.id == "" || c.kind == kindToolCall && c.name == "" {
		return refuse(RuleChunkOpener)
	}
	if c.kind == kindText && c.role == "" {
		c.role = string(RoleAssistant)
	}
	events := append(x.close(func(l lane) bool { return l.owner == c.owner }), c.start(b))
	x.lanes = append(x.lanes, c)
	if delta != nil || b.RawEvent != nil {
		events = append(events, c.content(delta, b))
	}
	return events, nil
}

// find returns the lane a chunk belongs to, nil if it has to open one.
func (x *expander) find(c lane) (*lane, OrderRule) {
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
	case kindText:
		return &TextMessageStart{Tagged: t, MessageID: l.id, Role: Role(l.role), Name: l.name}
	case kindToolCall:
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
	case kindText:
		return &TextMessageContent{Tagged: t, MessageID: l.id, Delta: text}
	case kindToolCall:
		return &ToolCallArgs{Tagged: t, ToolCallID: l.id, Delta: text}
	default:
		return &ReasoningMessageContent{Tagged: t, MessageID: l.id, Delta: text}
	}
}

func (l lane) end() Event {
	switch t := tagged(l.owner); l.kind {
	case kindText:
		return &TextMessageEnd{Tagged: t, MessageID: l.id}
	case kindToolCall:
		return &ToolCallEnd{Tagged: t, ToolCallID: l.id}
	default:
		return &ReasoningMessageEnd{Tagged: t, MessageID: l.id}
	}
}
