package agui

import (
	"strconv"
	"unicode/utf8"
)

// appendContent appends the wire form of an event that adds a piece of text, reasoning or arguments: what [Encode]
// writes of it, without reflection, because nearly all events of a stream are such pieces. It returns nil for all other
// events, and for pieces that carry a rawEvent or metadata.
func appendContent(e Event) []byte {
	switch e := e.(type) {
	case *TextMessageContent:
		return e.content(TypeTextMessageContent, `,"messageId":`, e.MessageID, e.Delta)
	case *ReasoningMessageContent:
		return e.content(TypeReasoningMessageContent, `,"messageId":`, e.MessageID, e.Delta)
	case *ToolCallArgs:
		return e.content(TypeToolCallArgs, `,"toolCallId":`, e.ToolCallID, e.Delta)
	default:
		return nil
	}
}

// content is the wire form of a piece. Its members are in the order of the fields of the events' types.
func (t *Tagged) content(name EventType, idName, id, delta string) []byte {
	if t.RawEvent != nil || t.Metadata != nil {
		return nil
	}
	const around = len(`{"type":"","timestamp":1234567890123,"subagentRunId":"",""delta":""}`) + len(`"toolCallId":`)
	out := make([]byte, 0, around+len(name)+len(t.SubagentRunID)+len(id)+len(delta)+len(delta)/8)
	out = append(append(append(out, `{"type":"`...), name...), '"')
	if t.Timestamp != 0 {
		out = strconv.AppendInt(append(out, `,"timestamp":`...), t.Timestamp, 10)
	}
	if t.SubagentRunID != "" {
		out = appendText(append(out, `,"subagentRunId":`...), t.SubagentRunID)
	}
	out = appendText(append(out, idName...), id)
	out = appendText(append(out, `,"delta":`...), delta)
	return append(out, '}')
}

// appendText appends a string as JSON, as [Marshal] writes it.
func appendText(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	done := 0 // of text
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				out = append(append(out, text[done:i]...), `\ufffd`...)
				done = i + size
			case r == '\u2028' || r == '\u2029': // line ends of JavaScript
				out = append(append(append(out, text[done:i]...), `\u202`...), hex[r&0xF])
				done = i + size
			}
			i += size
			continue
		}
		out = append(out, text[done:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\b':
			out = append(out, `\b`...)
		case '\f':
			out = append(out, `\f`...)
		case '\n':
			out = append(out, `\n`...)
		case '\r':
			out = append(out, `\r`...)
		case '\t':
			out = append(out, `\t`...)
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
		i++
		done = i
	}
	return append(append(out, text[done:]...), '"')
}
