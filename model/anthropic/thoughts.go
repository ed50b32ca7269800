package anthropic

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/internal/exact"
)

// A thought is a block of thinking: signed, or encrypted so that only the server can read it.
type thought struct {
	Text      int    `json:"text,omitempty"`  // how many bytes of the reply's text stood before it
	Calls     int    `json:"calls,omitempty"` // and how many calls
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"` // of one that is encrypted
}

// block is the thought in the form of the API.
func (t thought) block() object {
	if t.Data != "" {
		return object{"type": "redacted_thinking", "data": t.Data}
	}
	return object{"type": "thinking", "thinking": t.Thinking, "signature": t.Signature}
}

// kept is the content of [model.Reply].Opaque: its origin, and the thoughts of the reply in order.
type kept struct {
	Origin   string    `json:"origin"`
	Thoughts []thought `json:"thoughts"`

	size int // in bytes
}

// The bounds of thoughts that are kept.
const (
	maxKept     = 1 << 20
	maxThoughts = 256
)

// encode is k as it is recorded. It is nil if there are no thoughts, or if they are too large: then the model continues
// without them.
func (k *kept) encode() json.RawMessage {
	raw, err := json.Marshal(k)
	if err != nil || len(k.Thoughts) == 0 || max(k.size, len(raw)) > maxKept {
		return nil
	}
	return raw
}

// keptOf returns the thoughts of an earlier reply of this model. Those of another model are not for this one.
func (m *Model) keptOf(opaque json.RawMessage, f form) []thought {
	var k kept
	if f.noThoughts || exact.Unmarshal(opaque, &k) != nil || k.Origin != m.String() {
		return nil
	}
	return k.Thoughts
}
