package agui

// The types below have a form of their own on the wire. So that structs holding them can be kept as JSON, they
// read what they write; unknown members are dropped without a word, what a peer sent goes through [Decode].

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
