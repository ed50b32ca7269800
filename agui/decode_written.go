package agui

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// DecodeWritten reads an event that [Encode] wrote: it returns what [Decode] returns of the same bytes, without warnings. Text,
// reasoning and arguments of tools come in pieces that make up most of a log; their exact form is read in one pass, without the
// table of fields that a peer's event needs. Everything else is left to Decode, so that data of any origin is safe.
func DecodeWritten(data []byte) (Event, error) {
	if e := scanContent(data); e != nil {
		return e, nil
	}
	return Decode(data, nil)
}

// scanContent returns the content event that data holds in the form in which Encode writes it, or nil.
func scanContent(data []byte) Event {
	s := contentScanner{rest: data}
	switch {
	case s.skip(`{"type":"TEXT_MESSAGE_CONTENT"`):
		e := new(TextMessageContent)
		if s.fields(&e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.skip(`{"type":"REASONING_MESSAGE_CONTENT"`):
		e := new(ReasoningMessageContent)
		if s.fields(&e.Tagged, `,"messageId":`, &e.MessageID, &e.Delta) {
			return e
		}
	case s.skip(`{"type":"TOOL_CALL_ARGS"`):
		e := new(ToolCallArgs)
		if s.fields(&e.Tagged, `,"toolCallId":`, &e.ToolCallID, &e.Delta) {
			return e
		}
	}
	return nil
}

// A contentScanner reads a content event from its beginning. Its methods return false for whatever Encode does not write.
type contentScanner struct{ rest []byte }

// fields reads the members of a content event up to its end, in the order in which they are written. Events with a rawEvent or
// metadata are refused.
func (s *contentScanner) fields(tag *Tagged, idName string, id, delta *string) bool {
	if s.skip(`,"timestamp":`) && !s.integer(&tag.Timestamp) {
		return false
	}
	if s.skip(`,"subagentRunId":`) && !s.text(&tag.SubagentRunID) {
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

// text reads a string.
func (s *contentScanner) text(target *string) bool {
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return false
	}
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\':
			i++
		case c < ' ':
			return false
		case c == '"':
			text, ok := textIn(s.rest[:i+1])
			if !ok || !utf8.Valid(s.rest[:i+1]) {
				return false
			}
			*target, s.rest = string(text), s.rest[i+1:]
			return true
		}
	}
	return false
}
