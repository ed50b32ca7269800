package frame

import (
	"encoding/json"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// StateSnapshot returns the encoded STATE_SNAPSHOT of a stored state. at is its time in Unix milliseconds, or 0.
func StateSnapshot(raw json.RawMessage, at int64) json.RawMessage {
	object := Object(raw)
	data := snapshotHead(agui.TypeStateSnapshot, at, "snapshot", len(object)+1)
	return append(append(data, object...), '}')
}

// MessagesSnapshot returns the encoded MESSAGES_SNAPSHOT of messages in their stored form; at is as in [StateSnapshot].
func MessagesSnapshot(messages state.Conversation, at int64) json.RawMessage {
	data := snapshotHead(agui.TypeMessagesSnapshot, at, "messages", 0)
	return append(messages.AppendJSON(data, 1), '}')
}

// snapshotHead is the beginning of a snapshot up to its value, for which there is room.
func snapshotHead(name agui.EventType, at int64, member string, room int) []byte {
	const most = len(`{"type":"","timestamp":,"":`) + len("-9223372036854775808")
	data := make([]byte, 0, most+len(name)+len(member)+room)
	data = append(append(append(data, `{"type":"`...), name...), '"')
	if at != 0 {
		data = strconv.AppendInt(append(data, `,"timestamp":`...), at, 10)
	}
	return append(append(append(data, `,"`...), member...), `":`...)
}

// Object returns a state as an object: a state that was never set is empty.
func Object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
