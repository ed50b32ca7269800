package agui

// The types below have a special form on the wire. They also read that form, so that structs with them can be kept as
// JSON; unknown members are dropped without a warning. Input from a peer goes through [Decode].

// UnmarshalJSON reads a message.
func (m *Message) UnmarshalJSON(data []byte) error { return unmarshal(data, m) }

// UnmarshalJSON reads content.
func (c *Content) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

// UnmarshalJSON reads a content part.
func (p *Part) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

// UnmarshalJSON reads a patch operation.
func (o *PatchOp) UnmarshalJSON(data []byte) error { return unmarshal(data, o) }

func unmarshal(data []byte, v selfDecoder) error {
	if err := checkSyntax(data); err != nil {
		return err
	}
	return v.read(newDecoder(data), data)
}
