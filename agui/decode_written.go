package agui

import "github.com/agui-gateway/gateway/internal/jsonscan"

// DecodeWritten reads an event that [Encode] wrote: it returns what [Decode] returns of the same bytes, without
// warnings. Text, reasoning and arguments of tools come in pieces that make up most of a log; their exact form is read
// in one pass, without the table of fields that a peer's event needs. Everything else is left to Decode, so that data
// of any origin is safe.
func DecodeWritten(data []byte) (Event, error) {
	if e := scanContent(data, nil); e != nil {
		return e, nil
	}
	return Decode(data, nil)
}

// A LogDecoder is [DecodeWritten] for reading a whole log. It reuses returned events: a piece of text, reasoning or
// arguments is valid until the next one, and shares its ids. The zero value is ready. It is not safe for concurrent
// use.
type LogDecoder struct {
	text      TextMessageContent
	reasoning ReasoningMessageContent
	args      ToolCallArgs
}

// Decode reads the next event, as [DecodeWritten].
func (d *LogDecoder) Decode(data []byte) (Event, error) {
	if e := scanContent(data, d); e != nil {
		return e, nil
	}
	return Decode(data, nil)
}

// scanContent returns the content event that data holds in the form in which Encode writes it, or nil: one of d, or a
// new one if d is nil.
func scanContent(data []byte, d *LogDecoder) Event {
	s := jsonscan.New(data)
	switch {
	case s.Literal(`{"type":"TEXT_MESSAGE_CONTENT"`):
		e := piece(d, func(d *LogDecoder) *TextMessageContent { return &d.text })
		if readContent(&s, &e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.Literal(`{"type":"REASONING_MESSAGE_CONTENT"`):
		e := piece(d, func(d *LogDecoder) *ReasoningMessageContent { return &d.reasoning })
		if readContent(&s, &e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.Literal(`{"type":"TOOL_CALL_ARGS"`):
		e := piece(d, func(d *LogDecoder) *ToolCallArgs { return &d.args })
		if readContent(&s, &e.Tagged, `,"toolCallId":`, &e.ToolCallID, &e.Delta) {
			return e
		}
	}
	return nil
}

// piece is an event of d, or a new one if d is nil.
func piece[E any](d *LogDecoder, of func(*LogDecoder) *E) *E {
	if d == nil {
		return new(E)
	}
	return of(d)
}

// readContent reads the members of a content event up to its end, in the order in which they are written. Events
// with a rawEvent or metadata are refused.
func readContent(s *jsonscan.Scanner, tag *Tagged, idName string, id, delta *string) bool {
	tag.Timestamp = 0
	if s.Literal(`,"timestamp":`) && (!s.Int(&tag.Timestamp) || tag.Timestamp < 1 || tag.Timestamp > maxInteger) {
		return false
	}
	if !s.Literal(`,"subagentRunId":`) {
		tag.SubagentRunID = ""
	} else if !s.Text(&tag.SubagentRunID) {
		return false
	}
	return s.Literal(idName) && s.Text(id) && s.Literal(`,"delta":`) && s.Text(delta) && s.Take('}') && s.End()
}
