package agui

// TextMessageStart opens a text message. Opening a closed one again appends to it.
type TextMessageStart struct {
	Tagged
	MessageID string `json:"messageId" agui:"id"`
	// Role is developer, system, assistant or user; empty means assistant.
	Role Role   `json:"role,omitempty" enum:"developer system assistant user"`
	Name string `json:"name,omitempty"`
}

// TextMessageContent appends Delta to an open text message.
type TextMessageContent struct {
	Tagged
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
}

// TextMessageEnd closes a text message.
type TextMessageEnd struct {
	Tagged
	MessageID string `json:"messageId"`
}

// TextMessageChunk is a piece of a text message that opens itself: the first names the message, later ones may leave it
// out. See the protocol's rules on lanes; a producer that knows its boundaries uses [TextMessageStart] and its kin.
type TextMessageChunk struct {
	Tagged
	MessageID string  `json:"messageId,omitempty"`
	Role      Role    `json:"role,omitempty" enum:"developer system assistant user"`
	Delta     *string `json:"delta,omitempty"`
	Name      string  `json:"name,omitempty"`
}
