package agui

import "encoding/json"

// A Patch is an RFC 6902 JSON Patch. It applies as a whole or not at all. A nil Patch is written as [].
type Patch []PatchOp

// MarshalJSON writes p as an array.
func (p Patch) MarshalJSON() ([]byte, error) { return List[PatchOp](p).MarshalJSON() }

// A PatchOp is one operation of a [Patch].
type PatchOp struct {
	Op   string `json:"op"`             // add, remove, replace, move, copy or test
	Path string `json:"path"`           // RFC 6901; "" is the whole document
	From string `json:"from,omitempty"` // of move and copy
	// Value is the operand of add, replace and test; nil is written as null.
	Value json.RawMessage `json:"value" agui:"any"`
}

// MarshalJSON writes the members the operation requires, and no other.
func (o PatchOp) MarshalJSON() ([]byte, error) {
	switch o.Op {
	case "add", "replace", "test":
		return Marshal(struct {
			Op    string          `json:"op"`
			Path  string          `json:"path"`
			Value json.RawMessage `json:"value"`
		}{o.Op, o.Path, o.Value})
	case "move", "copy":
		return Marshal(struct {
			Op   string `json:"op"`
			From string `json:"from"`
			Path string `json:"path"`
		}{o.Op, o.From, o.Path})
	default:
		return Marshal(struct {
			Op   string `json:"op"`
			Path string `json:"path"`
		}{o.Op, o.Path})
	}
}
