package agui

import (
	"cmp"
	"strconv"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// appendMessage appends the wire form of a message: what [Message.MarshalJSON] writes, without reflection for a message
// of text, with or without calls. It reports false, and has appended nothing that counts, for one with parts, an object
// or metadata.
func appendMessage(out []byte, m *Message) ([]byte, bool) {
	if m.Metadata != nil || m.Role == RoleActivity || !m.Content.IsText() && !m.Content.IsZero() {
		return out, false
	}
	out = jsonscan.AppendQuoted(append(out, `{"id":`...), m.ID)
	out = jsonscan.AppendQuoted(append(out, `,"role":`...), string(m.Role))
	if m.Content.IsText() || m.Role != RoleAssistant {
		out = jsonscan.AppendQuoted(append(out, `,"content":`...), m.Content.text)
	}
	out = appendOptional(out, `,"name":`, m.Name)
	for i := range m.ToolCalls {
		if i == 0 {
			out = append(out, `,"toolCalls":[`...)
		} else {
			out = append(out, ',')
		}
		var ok bool
		if out, ok = appendCall(out, &m.ToolCalls[i]); !ok {
			return out, false
		}
	}
	if len(m.ToolCalls) > 0 {
		out = append(out, ']')
	}
	if m.Role != RoleTool {
		out = appendOptional(out, `,"toolCallId":`, m.ToolCallID)
	}
	out = appendOptional(out, `,"error":`, m.Error)
	if m.Role != RoleTool {
		out = appendOptional(out, `,"activityType":`, m.ActivityType)
	}
	out = appendOptional(out, `,"encryptedValue":`, m.EncryptedValue)
	out = appendOptional(out, `,"subagentRunId":`, m.SubagentRunID)
	if m.Role == RoleTool { // its call is required
		out = jsonscan.AppendQuoted(append(out, `,"toolCallId":`...), m.ToolCallID)
	}
	return append(out, '}'), true
}

// appendCall appends the wire form of a call, unless it has metadata.
func appendCall(out []byte, c *ToolCall) ([]byte, bool) {
	if c.Metadata != nil {
		return out, false
	}
	out = jsonscan.AppendQuoted(append(out, `{"id":`...), c.ID)
	out = jsonscan.AppendQuoted(append(out, `,"type":`...), cmp.Or(c.Type, "function"))
	out = jsonscan.AppendQuoted(append(out, `,"function":{"name":`...), c.Function.Name)
	out = append(jsonscan.AppendQuoted(append(out, `,"arguments":`...), c.Function.Arguments), '}')
	return append(appendOptional(out, `,"encryptedValue":`, c.EncryptedValue), '}'), true
}

// appendOptional appends a member with a text, unless it is empty.
func appendOptional(out []byte, name, text string) []byte {
	if text == "" {
		return out
	}
	return jsonscan.AppendQuoted(append(out, name...), text)
}

// appendSnapshot returns the wire form of a snapshot of messages, which may be a whole conversation. It is nil for one
// with a rawEvent or metadata.
func appendSnapshot(e *MessagesSnapshot) ([]byte, error) {
	if e.RawEvent != nil || e.Metadata != nil {
		return nil, nil
	}
	size := 100
	for i := range e.Messages {
		size += 100 + len(e.Messages[i].ID) + len(e.Messages[i].Content.text)
	}
	out := append(make([]byte, 0, size), `{"type":"MESSAGES_SNAPSHOT"`...)
	if e.Timestamp != 0 {
		out = strconv.AppendInt(append(out, `,"timestamp":`...), e.Timestamp, 10)
	}
	out = append(out, `,"messages":[`...)
	for i := range e.Messages {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = e.Messages[i].AppendJSON(out); err != nil {
			return nil, err
		}
	}
	return append(out, "]}"...), nil
}

// scanMessage reads a message of text in the form in which [Message.MarshalJSON] and most clients write it, in one
// pass. It reports false for whatever else is valid JSON.
func scanMessage(raw []byte) (m Message, ok bool) {
	s := jsonscan.New(raw)
	var role, text string
	if !s.Literal(`{"id":`) || !s.Text(&m.ID) || !s.Literal(`,"role":`) || !s.Text(&role) ||
		!s.Literal(`,"content":`) || !s.Text(&text) {
		return m, false
	}
	switch m.Role = Role(role); m.Role {
	case RoleUser, RoleAssistant, RoleSystem, RoleDeveloper:
	default:
		return m, false
	}
	m.Content = TextContent(text)
	if s.Literal(`,"name":`) && !s.Text(&m.Name) || s.Literal(`,"subagentRunId":`) && !s.Text(&m.SubagentRunID) {
		return m, false
	}
	return m, s.Take('}') && s.End()
}
