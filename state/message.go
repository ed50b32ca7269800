package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A StoredMessage is a message of a conversation as it is kept: encoded, once in its life, with what transitions look
// at. Nothing in one is changed; a new version is another one in the same slot.
type StoredMessage struct {
	// Slot is its place: a conversation is in the order of its slots, but for results, see [Conversation].
	Slot int
	// Added is the revision that brought this version, Run the Origin of the run that brought the message.
	Added int64
	Run   uint64

	ID         string
	Role       agui.Role
	ToolCallID string   // of a result
	Calls      []string // the ids of the calls it makes

	Raw json.RawMessage // its encoding
	// decoded is what Raw says, if somebody knows it already.
	decoded *agui.Message
}

// NewStoredMessage returns a message as it is kept, in no slot yet.
func NewStoredMessage(m agui.Message) (StoredMessage, error) {
	raw, err := m.MarshalJSON()
	if err != nil {
		return StoredMessage{}, fmt.Errorf("state: message: %w", err)
	}
	s := StoredMessage{ID: m.ID, Role: m.Role, ToolCallID: m.ToolCallID, Raw: raw, decoded: &m}
	for _, c := range m.ToolCalls {
		s.Calls = append(s.Calls, c.ID)
	}
	return s, nil
}

// An encoder remembers what it encoded, by id: a message is encoded once, however often a request is judged. The nil
// encoder remembers nothing.
type encoder map[string]StoredMessage

func (e encoder) message(m agui.Message) (StoredMessage, error) {
	if known, ok := e[m.ID]; ok {
		return known, nil
	}
	s, err := NewStoredMessage(m)
	if err == nil && e != nil {
		e[m.ID] = s
	}
	return s, err
}

// LeanFrom is the size of an encoding from which a store in memory drops the decoded value: it costs more memory than
// decoding again costs time.
const LeanFrom = 4 << 10

// Lean returns the message as a store in memory keeps it: a large one without what it was encoded from, and with no
// room behind its encoding.
func (m StoredMessage) Lean() StoredMessage {
	if len(m.Raw) < LeanFrom {
		return m
	}
	m.decoded = nil
	if cap(m.Raw)-len(m.Raw) > len(m.Raw)/8 {
		m.Raw = bytes.Clone(m.Raw)
	}
	return m
}

// Message decodes the message.
func (m *StoredMessage) Message() (agui.Message, error) {
	if m.decoded != nil {
		return *m.decoded, nil
	}
	var decoded agui.Message
	if err := json.Unmarshal(m.Raw, &decoded); err != nil {
		return decoded, fmt.Errorf("state: stored message: %w", err)
	}
	return decoded, nil
}

// Place is what [Facts.Known] says of it.
func (m *StoredMessage) Place() Place {
	return Place{Role: m.Role, Run: m.Run, Slot: m.Slot, Added: m.Added, Size: len(m.Raw)}
}

// A Conversation is the messages of a thread at a revision, in the order a client has them: results of calls stand
// behind the message that made the calls, in the order they came.
type Conversation []StoredMessage

// NewConversation arranges messages, which are those of a revision in the order of their slots.
func NewConversation(messages []StoredMessage) Conversation {
	owner := map[string]int{} // call → index of the message that made it
	results := map[int][]StoredMessage{}
	moved := map[int]bool{}
	for i, m := range messages {
		for _, id := range m.Calls {
			owner[id] = i
		}
		if at, ok := owner[m.ToolCallID]; ok && m.Role == agui.RoleTool {
			results[at] = append(results[at], m)
			moved[i] = true
		}
	}
	if len(moved) == 0 {
		return messages
	}
	arranged := make(Conversation, 0, len(messages))
	for i, m := range messages {
		if !moved[i] {
			arranged = append(arranged, m)
			arranged = append(arranged, results[i]...)
		}
	}
	return arranged
}

// Messages decodes the messages.
func (c Conversation) Messages() ([]agui.Message, error) {
	messages := make([]agui.Message, len(c))
	for i := range c {
		var err error
		if messages[i], err = c[i].Message(); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// JSON is the conversation as an array, of the encodings its messages have.
func (c Conversation) JSON() json.RawMessage { return c.AppendJSON(nil, 0) }

// AppendJSON appends what [Conversation.JSON] returns, and leaves room for so many bytes behind it.
func (c Conversation) AppendJSON(out []byte, room int) json.RawMessage {
	size := len("[]") + room
	for i := range c {
		size += len(c[i].Raw) + len(",")
	}
	out = append(slices.Grow(out, size), '[')
	for i := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c[i].Raw...)
	}
	return append(out, ']')
}

// index returns the index of the message id, -1 if it is not there.
func (c Conversation) index(id string) int {
	return slices.IndexFunc(c, func(m StoredMessage) bool { return m.ID == id })
}
