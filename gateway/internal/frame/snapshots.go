package frame

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/state"
)

// StateSnapshot returns the encoded STATE_SNAPSHOT of a state in its stored form: what is stored is not encoded again for each reader.
func StateSnapshot(raw json.RawMessage) json.RawMessage {
	return snapshotData(`{"type":"STATE_SNAPSHOT","snapshot":`, Object(raw))
}

// MessagesSnapshot returns the encoded MESSAGES_SNAPSHOT of messages in their stored form.
func MessagesSnapshot(messages state.Conversation) json.RawMessage {
	return snapshotData(`{"type":"MESSAGES_SNAPSHOT","messages":`, messages.JSON())
}

func snapshotData(before string, value json.RawMessage) json.RawMessage {
	data := append(make([]byte, 0, len(before)+len(value)+len("}")), before...)
	return append(append(data, value...), '}')
}

// Object returns a state as an object: a state that was never set is empty.
func Object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
