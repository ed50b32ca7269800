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
	Item // of the kind KindText, KindToolCall or KindReasoning

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

// Each calls f with each event that e implies, as [Expander.Expand] returns them. It stops at the first error, and
// forgets the item that the refused event was to open.
func (x *Expander) Each(e Event, f func(Event) error) error {
	if !x.Concerns(e) {
		return f(e)
	}
	events, err := x.Expand(e)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := f(e); err != nil {
			x.Abandon(e)
			return err
		}
	}
	return nil
}

// Expand returns the events that e implies, after the ends of items that it closes; none for an empty chunk. It returns
// an [*OrderError] for a chunk that fits nowhere.
func (x *Expander) Expand(e Event) ([]Event, error) {
	events, err := x.expand(e)
	if err != nil {
		err.Type = TypeOf(e)
		return nil, err
	}
	return events, nil
}

func (x *Expander) expand(e Event) ([]Event, *OrderError) {
	owner := SubagentOf(e)
	switch c := e.(type) {
	case *TextMessageChunk:
		return x.chunk(e, c.Delta, lane{
			Item: Item{KindText, c.MessageID, c.SubagentRunID}, role: string(c.Role), name: c.Name,
		})
	case *ToolCallChunk:
		return x.chunk(e, c.Delta, lane{
			Item: Item{KindToolCall, c.ToolCallID, c.SubagentRunID}, name: c.ToolCallName, parent: c.ParentMessageID,
		})
	case *ReasoningMessageChunk:
		return x.chunk(e, c.Delta, lane{Item: Item{KindReasoning, c.MessageID, c.SubagentRunID}})
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted, *Unknown:
		return []Event{e}, nil // beside the stream
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		return append(x.Close(), e), nil
	case *SubagentFinished, *SubagentError:
		if owner == "" {
			return []Event{e}, nil // it never touches the parent's lane
		}
	}
	if item, effect := ItemOf(e); effect == Closes && x.Forgiving {
		x.forget(func(l lane) bool { return l.Kind == item.Kind && l.ID == item.ID && agrees(item.Owner, l.Owner) })
	}
	return append(x.CloseOf(owner), e), nil
}

// forget removes the lanes that match.
func (x *Expander) forget(match func(lane) bool) { x.lanes = slices.DeleteFunc(x.lanes, match) }

// Close returns the ends of everything that chunks have open, in the order it was opened, and forgets it.
func (x *Expander) Close() []Event { return x.close(func(lane) bool { return true }) }

// CloseOf is Close for what one agent has open: a subagent invocation, or the parent agent if it is empty.
func (x *Expander) CloseOf(subagentRunID string) []Event {
	return x.close(func(l lane) bool { return l.Owner == subagentRunID })
}

// close ends the lanes that match and returns their ends.
func (x *Expander) close(match func(lane) bool) []Event {
	var ends []Event
	x.forget(func(l lane) bool {
		if !match(l) {
			return false
		}
		ends = append(ends, l.End())
		return true
	})
	return ends
}

// Abandon forgets what e, the start that a chunk implied, was to open: it was refused.
func (x *Expander) Abandon(e Event) {
	if item, effect := ItemOf(e); effect == Opens {
		x.forget(func(l lane) bool { return l.Kind == item.Kind && l.ID == item.ID })
	}
}

// chunk expands one chunk, described by the lane it asks for.
func (x *Expander) chunk(e Event, delta *string, c lane) ([]Event, *OrderError) {
	refuse := func(rule OrderRule) ([]Event, *OrderError) {
		return nil, &OrderError{Rule: rule, Kind: c.Kind, ID: c.ID}
	}
	open, rule := x.find(c)
	if rule != "" {
		return refuse(rule)
	}
	b := e.base()
	if open != nil && open.Kind == c.Kind && (c.ID == "" || c.ID == open.ID) {
		if !agrees(c.role, open.role) || !agrees(c.name, open.name) || !agrees(c.parent, open.parent) {
			return refuse(RuleChunkChanged)
		}
		if delta == nil && b.RawEvent == nil && b.Metadata == nil {
			return nil, nil // it adds nothing, so nothing about it can be out of order
		}
		return []Event{open.content(delta, b)}, nil
	}
	if c.ID == "" || c.Kind == KindToolCall && c.name == "" {
		return refuse(RuleChunkOpener)
	}
	if c.Kind == KindText && c.role == "" {
		c.role = string(RoleAssistant)
	}
	events := append(x.CloseOf(c.Owner), c.start(b))
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
		if l.Owner == c.Owner {
			own = l
		}
		if l.Kind != c.Kind {
			continue
		}
		if c.ID != "" && l.ID == c.ID {
			if !agrees(c.Owner, l.Owner) {
				return nil, RuleOwner
			}
			return l, ""
		}
		same = append(same, l)
	}
	if c.ID != "" || c.Owner != "" || (own != nil && own.Kind == c.Kind) {
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
	t := Tagged{Base: Base{Timestamp: b.Timestamp, Metadata: b.Metadata}, SubagentRunID: l.Owner}
	switch l.Kind {
	case KindText:
		return &TextMessageStart{Tagged: t, MessageID: l.ID, Role: Role(l.role), Name: l.name}
	case KindToolCall:
		return &ToolCallStart{Tagged: t, ToolCallID: l.ID, ToolCallName: l.name, ParentMessageID: l.parent}
	default:
		return &ReasoningMessageStart{Tagged: t, MessageID: l.ID, Role: RoleReasoning}
	}
}

func (l lane) content(delta *string, b *Base) Event {
	t := Tagged{Base: *b, SubagentRunID: l.Owner}
	text := ""
	if delta != nil {
		text = *delta
	}
	switch l.Kind {
	case KindText:
		return &TextMessageContent{Tagged: t, MessageID: l.ID, Delta: text}
	case KindToolCall:
		return &ToolCallArgs{Tagged: t, ToolCallID: l.ID, Delta: text}
	default:
		return &ReasoningMessageContent{Tagged: t, MessageID: l.ID, Delta: text}
	}
}
