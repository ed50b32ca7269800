package agui

import (
	"strconv"

	"github.com/agui-gateway/gateway/internal/jsonscan"
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
		out = jsonscan.AppendQuoted(append(out, `,"subagentRunId":`...), t.SubagentRunID)
	}
	out = jsonscan.AppendQuoted(append(out, idName...), id)
	out = jsonscan.AppendQuoted(append(out, `,"delta":`...), delta)
	return append(out, '}')
}
