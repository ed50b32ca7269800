package gateway

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// The snapshots that readers are sent are made of what the store has: a message is encoded once, when it is stored.

// stateSnapshot is a STATE_SNAPSHOT of a state in its stored form.
func stateSnapshot(raw json.RawMessage) framed {
	return framed{event: &agui.StateSnapshot{}, data: stateData(raw)}
}

func stateData(raw json.RawMessage) json.RawMessage {
	return snapshotData(`{"type":"STATE_SNAPSHOT","snapshot":`, object(raw))
}

// messagesSnapshot is a MESSAGES_SNAPSHOT of stored messages.
func messagesSnapshot(messages state.Conversation) framed {
	return framed{event: &agui.MessagesSnapshot{}, data: messagesData(messages)}
}

func messagesData(messages state.Conversation) json.RawMessage {
	return snapshotData(`{"type":"MESSAGES_SNAPSHOT","messages":`, messages.JSON())
}

func snapshotData(before string, value json.RawMessage) json.RawMessage {
	data := append(make([]byte, 0, len(before)+len(value)+len("}")), before...)
	return append(append(data, value...), '}')
}
