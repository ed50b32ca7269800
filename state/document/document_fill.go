package document

import (
	"bytes"
	"encoding/json"
)

// Fill sets the members of initial, a JSON object or nothing, where the document is [Document.Blank], in their
// order. The error is [ErrValue] if initial is no object, or that of a write.
func (d *Document) Fill(initial json.RawMessage) error {
	if len(initial) == 0 {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(initial))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return ErrValue
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok {
			return ErrValue
		}
		pointer := Pointer(text)
		if !d.Blank(pointer) {
			continue
		}
		if err := d.Set(pointer, value); err != nil {
			return err
		}
	}
	return nil
}
