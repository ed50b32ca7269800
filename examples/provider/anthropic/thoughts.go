package anthropic

import "encoding/json"

// A thought is a block of thinking as the server wants it back beside the calls of tools that it led to: signed, or
// readable only by the server.
type thought struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

// kept is the content of [model.Reply].Opaque: its origin, and data of this provider.
type kept struct {
	Provider string    `json:"provider"`
	Thoughts []thought `json:"thoughts"`
}

// maxOpaque is the maximum size of kept data.
const maxOpaque = 1 << 20

// thoughts returns those of the reply, to be sent back; nil if there are none, or they are too long to be kept: then
// the model continues without them.
func (d *draft) thoughts() json.RawMessage {
	k := kept{Provider: Name}
	for _, b := range d.blocks {
		switch b.kind {
		case "thinking":
			k.Thoughts = append(k.Thoughts, thought{Type: b.kind, Thinking: b.words.String(), Signature: b.signature})
		case "redacted_thinking":
			k.Thoughts = append(k.Thoughts, thought{Type: b.kind, Data: b.data})
		}
	}
	raw, err := json.Marshal(k)
	if k.Thoughts == nil || err != nil || len(raw) > maxOpaque {
		return nil
	}
	return raw
}

// thoughts are the blocks that an earlier reply kept. What another provider kept is not for this one.
func thoughts(opaque json.RawMessage) []any {
	var k kept
	if json.Unmarshal(opaque, &k) != nil || k.Provider != Name {
		return nil
	}
	var blocks []any
	for _, t := range k.Thoughts {
		blocks = append(blocks, t)
	}
	return blocks
}
