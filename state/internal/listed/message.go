package listed

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Message has the fields of a [state.StoredMessage] beside its encoding.
type Message struct {
	Slot   int       `json:"s"`
	Added  int64     `json:"a"`
	Run    uint64    `json:"r,omitempty"`
	ID     string    `json:"i"`
	Role   agui.Role `json:"o"`
	Result string    `json:"t,omitempty"` // of this call
	Calls  []string  `json:"c,omitempty"`
}

// MessageOf returns the fields of m.
func MessageOf(m *state.StoredMessage) Message {
	return Message{m.Slot, m.Added, m.Run, m.ID, m.Role, m.ToolCallID, m.Calls}
}

// Stored returns the message with its encoding.
func (m *Message) Stored(raw json.RawMessage) state.StoredMessage {
	return state.StoredMessage{
		Slot: m.Slot, Added: m.Added, Run: m.Run, ID: m.ID, Role: m.Role, ToolCallID: m.Result, Calls: m.Calls,
		Raw: raw,
	}
}

// DecodeMessage reads the JSON of a Message. A conversation has many. Its errors are those of [json.Unmarshal].
func DecodeMessage(raw []byte) (Message, error) {
	var m Message
	if Read(raw, m.member) {
		return m, nil
	}
	m = Message{}
	err := json.Unmarshal(raw, &m)
	return m, err
}

// member reads a member of the message; see [Read].
func (m *Message) member(name []byte, r *Reader) bool {
	switch string(name) {
	case "s":
		var slot int64
		ok := r.Int(&slot)
		m.Slot = int(slot)
		return ok
	case "a":
		return r.Int(&m.Added)
	case "r":
		return r.Uint(&m.Run)
	case "i":
		return r.Text(&m.ID)
	case "o":
		return r.Text((*string)(&m.Role))
	case "t":
		return r.Text(&m.Result)
	case "c":
		return r.JSON(&m.Calls)
	default:
		return false
	}
}
