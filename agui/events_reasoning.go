package agui

// ReasoningStart opens a reasoning span.
type ReasoningStart struct {
	Tagged
	MessageID string `json:"messageId" agui:"id"`
}

// ReasoningEnd closes a reasoning span.
type ReasoningEnd struct {
	Tagged
	MessageID string `json:"messageId"`
}

// ReasoningMessageStart opens a reasoning message inside a span.
type ReasoningMessageStart struct {
	Tagged
	MessageID string `json:"messageId" agui:"id"`
	// Role is always "reasoning"; empty is written as that.
	Role Role `json:"role" enum:"reasoning"`
}

// MarshalJSON writes the event with its role.
func (e ReasoningMessageStart) MarshalJSON() ([]byte, error) {
	type plain ReasoningMessageStart
	if e.Role == "" {
		e.Role = RoleReasoning
	}
	return Marshal(plain(e))
}

// ReasoningMessageContent appends Delta to an open reasoning message.
type ReasoningMessageContent struct {
	Tagged
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
}

// ReasoningMessageEnd closes a reasoning message.
type ReasoningMessageEnd struct {
	Tagged
	MessageID string `json:"messageId"`
}

// ReasoningMessageChunk is a piece of a reasoning message that opens itself.
type ReasoningMessageChunk struct {
	Tagged
	MessageID string  `json:"messageId,omitempty"`
	Delta     *string `json:"delta,omitempty"`
}

// An EncryptedSubtype says what kind of thing an encrypted value belongs to.
type EncryptedSubtype string

// The subtypes of REASONING_ENCRYPTED_VALUE.
const (
	EncryptedToolCall EncryptedSubtype = "tool-call"
	EncryptedMessage  EncryptedSubtype = "message"
)

// ReasoningEncryptedValue attaches a provider's opaque reasoning to a message or a tool call.
type ReasoningEncryptedValue struct {
	Tagged
	Subtype        EncryptedSubtype `json:"subtype" enum:"tool-call message"`
	EntityID       string           `json:"entityId"`
	EncryptedValue string           `json:"encryptedValue"`
}
