package agui

// An Item is something that events of a stream open, continue and close: a message, a call, reasoning, a step or a
// subagent.
type Item struct {
	Kind  Kind
	ID    string // of a step, its name
	Owner string // the subagent invocation it belongs to, for a subagent its own; empty is the parent agent
}

// An Effect is what an event does to the [Item] that it names.
type Effect uint8

// The effects of an event.
const (
	NoEffect  Effect = iota // it neither opens, continues nor closes a message, a call or reasoning
	Opens                   // the item is open from this event on
	Continues               // it adds content to the open item
	Closes                  // the item is not open any more
)

// ItemOf returns the message, the call or the reasoning that e opens, continues or closes. Its owner is the event's
// tag.
func ItemOf(e Event) (Item, Effect) {
	switch e := e.(type) {
	case *TextMessageContent:
		return Item{KindText, e.MessageID, e.SubagentRunID}, Continues
	case *ToolCallArgs:
		return Item{KindToolCall, e.ToolCallID, e.SubagentRunID}, Continues
	case *ReasoningMessageContent:
		return Item{KindReasoning, e.MessageID, e.SubagentRunID}, Continues
	case *TextMessageStart:
		return Item{KindText, e.MessageID, e.SubagentRunID}, Opens
	case *TextMessageEnd:
		return Item{KindText, e.MessageID, e.SubagentRunID}, Closes
	case *ToolCallStart:
		return Item{KindToolCall, e.ToolCallID, e.SubagentRunID}, Opens
	case *ToolCallEnd:
		return Item{KindToolCall, e.ToolCallID, e.SubagentRunID}, Closes
	case *ReasoningMessageStart:
		return Item{KindReasoning, e.MessageID, e.SubagentRunID}, Opens
	case *ReasoningMessageEnd:
		return Item{KindReasoning, e.MessageID, e.SubagentRunID}, Closes
	case *ReasoningStart:
		return Item{KindSpan, e.MessageID, e.SubagentRunID}, Opens
	case *ReasoningEnd:
		return Item{KindSpan, e.MessageID, e.SubagentRunID}, Closes
	}
	return Item{}, NoEffect
}

// End returns the event that closes a message, a call, reasoning or a step, with the owner as its tag.
func (i Item) End() Event {
	tag := Tagged{SubagentRunID: i.Owner}
	switch i.Kind {
	case KindText:
		return &TextMessageEnd{Tagged: tag, MessageID: i.ID}
	case KindToolCall:
		return &ToolCallEnd{Tagged: tag, ToolCallID: i.ID}
	case KindReasoning:
		return &ReasoningMessageEnd{Tagged: tag, MessageID: i.ID}
	case KindSpan:
		return &ReasoningEnd{Tagged: tag, MessageID: i.ID}
	default:
		return &StepFinished{Tagged: tag, StepName: i.ID}
	}
}

// DeltaOf returns the piece of text, reasoning or arguments that e carries; nil for any other event.
func DeltaOf(e Event) *string {
	switch e := e.(type) {
	case *TextMessageContent:
		return &e.Delta
	case *ReasoningMessageContent:
		return &e.Delta
	case *ToolCallArgs:
		return &e.Delta
	case *TextMessageChunk:
		return e.Delta
	case *ReasoningMessageChunk:
		return e.Delta
	case *ToolCallChunk:
		return e.Delta
	}
	return nil
}
