package agui

import (
	"cmp"
	"encoding/json"
	"slices"
)

// A Role says who a message is from.
type Role string

// The roles of AG-UI 1.0.
const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
	RoleTool      Role = "tool"
	RoleActivity  Role = "activity"
	RoleReasoning Role = "reasoning"
)

// A Message is one entry of a conversation. Which fields it may hold depends on its role: Name is for
// developer, system, assistant and user messages, ToolCalls for assistant ones, ToolCallID and Error for
// tool ones, ActivityType for activity ones.
type Message struct {
	ID   string `json:"id"`
	Role Role   `json:"role"`
	// Content is text, parts (user and tool messages) or an object (activity messages). Only an assistant
	// message may have none.
	Content        Content    `json:"content,omitzero"`
	Name           string     `json:"name,omitempty"`
	ToolCalls      []ToolCall `json:"toolCalls,omitempty"`
	ToolCallID     string     `json:"toolCallId,omitempty"`
	Error          string     `json:"error,omitempty"`
	ActivityType   string     `json:"activityType,omitempty"`
	EncryptedValue string     `json:"encryptedValue,omitempty"`
	SubagentRunID  string     `json:"subagentRunId,omitempty"`
	Metadata       Metadata   `json:"metadata,omitzero"`
}

// MarshalJSON writes the message, with content "" where the role requires one and none was set, and its calls with
// their type.
func (m Message) MarshalJSON() ([]byte, error) {
	return m.AppendJSON(make([]byte, 0, 100+len(m.ID)+len(m.Content.text)))
}

// AppendJSON appends what MarshalJSON returns.
func (m *Message) AppendJSON(out []byte) ([]byte, error) {
	if long, ok := appendMessage(out, m); ok {
		return long, nil
	}
	raw, err := m.encodeAny()
	return append(out, raw...), err
}

// encodeAny is MarshalJSON for messages of any kind.
func (m Message) encodeAny() ([]byte, error) {
	type plain Message
	if m.Content.IsZero() && m.Role != RoleAssistant {
		if m.Role == RoleActivity {
			m.Content = ObjectContent(json.RawMessage("{}"))
		} else {
			m.Content = TextContent("")
		}
	}
	if slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.Type == "" }) {
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for i := range m.ToolCalls {
			m.ToolCalls[i].Type = cmp.Or(m.ToolCalls[i].Type, "function")
		}
	}
	if m.Role == RoleTool || m.Role == RoleActivity {
		return Marshal(struct {
			plain
			ToolCallID   *string `json:"toolCallId,omitempty"`
			ActivityType *string `json:"activityType,omitempty"`
		}{plain(m), requiredIf(m.Role == RoleTool, m.ToolCallID), requiredIf(m.Role == RoleActivity, m.ActivityType)})
	}
	return Marshal(plain(m))
}

// requiredIf keeps an empty string on the wire for the role that requires the field.
func requiredIf(required bool, s string) *string {
	if !required {
		return nil
	}
	return &s
}

// A ToolCall is a call an assistant message makes.
type ToolCall struct {
	ID             string       `json:"id"`
	Type           string       `json:"type" enum:"function"` // always "function"; empty is written as that
	Function       FunctionCall `json:"function"`
	EncryptedValue string       `json:"encryptedValue,omitempty"`
	Metadata       Metadata     `json:"metadata,omitzero"`
}

// A FunctionCall names a tool and holds its arguments as the model wrote them: text that ought to be JSON.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
