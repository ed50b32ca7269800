package agui

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

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
	s := contentScanner{rest: data}
	switch {
	case s.skip(`{"type":"TEXT_MESSAGE_CONTENT"`):
		e := piece(d, func(d *LogDecoder) *TextMessageContent { return &d.text })
		if s.fields(&e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.skip(`{"type":"REASONING_MESSAGE_CONTENT"`):
		e := piece(d, func(d *LogDecoder) *ReasoningMessageContent { return &d.reasoning })
		if s.fields(&e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.skip(`{"type":"TOOL_CALL_ARGS"`):
		e := piece(d, func(d *LogDecoder) *ToolCallArgs { return &d.args })
		if s.fields(&e.Tagged, `,"toolCallId":`, &e.ToolCallID, &e.Delta) {
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

// A contentScanner reads a content event from its beginning. Its methods return false for whatever Encode does not
// write.
type contentScanner struct{ rest []byte }

// fields reads the members of a content event up to its end, in the order in which they are written. Events with a
// rawEvent or metadata are refused.
func (s *contentScanner) fields(tag *Tagged, idName string, id, delta *string) bool {
	tag.Timestamp = 0
	if s.skip(`,"timestamp":`) && !s.integer(&tag.Timestamp) {
		return false
	}
	if !s.skip(`,"subagentRunId":`) {
		tag.SubagentRunID = ""
	} else if !s.text(&tag.SubagentRunID) {
		return false
	}
	return s.skip(idName) && s.text(id) && s.skip(`,"delta":`) && s.text(delta) && string(s.rest) == "}"
}

// skip takes literal off the beginning of the rest, if it is there.
func (s *contentScanner) skip(literal string) bool {
	if len(s.rest) < len(literal) || string(s.rest[:len(literal)]) != literal {
		return false
	}
	s.rest = s.rest[len(literal):]
	return true
}

// integer reads a positive integer that the protocol allows.
func (s *contentScanner) integer(target *int64) bool {
	n := bytes.IndexByte(s.rest, ',')
	if n < 1 || s.rest[0] < '1' || s.rest[0] > '9' {
		return false
	}
	value, err := strconv.ParseInt(string(s.rest[:n]), 10, 64)
	if err != nil || value > maxInteger {
		return false
	}
	*target, s.rest = value, s.rest[n:]
	return true
}

// text reads a string. The target keeps its own if that is equal, which ids nearly always are.
func (s *contentScanner) text(target *string) bool {
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return false
	}
	for i := 1; i < len(s.rest); i++ {
		if i = skipPlain(s.rest, i); i == len(s.rest) {
			return false
		}
		switch s.rest[i] {
		case '\\':
			i++
		case '"':
			text, ok := textIn(s.rest[:i+1])
			if !ok || !utf8.Valid(s.rest[:i+1]) {
				return false
			}
			if *target != string(text) {
				*target = string(text)
			}
			s.rest = s.rest[i+1:]
			return true
		default: // a control character
			return false
		}
	}
	return false
}
