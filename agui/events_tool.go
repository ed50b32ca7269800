package agui

// ToolCallStart opens a tool call. Its arguments follow as text.
type ToolCallStart struct {
	Tagged
	ToolCallID   string `json:"toolCallId" agui:"id"`
	ToolCallName string `json:"toolCallName"`
	// ParentMessageID is the assistant message the call belongs to; without it the call makes its own.
	ParentMessageID string `json:"parentMessageId,omitempty" null:"absent"`
}

// ToolCallArgs appends Delta to the arguments of an open call.
type ToolCallArgs struct {
	Tagged
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

// ToolCallEnd closes a call: its arguments are complete.
type ToolCallEnd struct {
	Tagged
	ToolCallID string `json:"toolCallId"`
}

// ToolCallChunk is a piece of a tool call that opens itself.
type ToolCallChunk struct {
	Tagged
	ToolCallID      string  `json:"toolCallId,omitempty"`
	ToolCallName    string  `json:"toolCallName,omitempty"`
	ParentMessageID string  `json:"parentMessageId,omitempty" null:"absent"`
	Delta           *string `json:"delta,omitempty"`
}

// ToolCallResult is what a call returned. It becomes a message of role tool with the ID MessageID.
type ToolCallResult struct {
	Tagged
	MessageID  string  `json:"messageId" agui:"id"`
	ToolCallID string  `json:"toolCallId" agui:"id"`
	Content    Content `json:"content"`
	// Role is "tool" or empty.
	Role Role `json:"role,omitempty" enum:"tool"`
}
