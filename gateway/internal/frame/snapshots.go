package frame

import (
	"encoding/json"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// StateSnapshot returns the encoded STATE_SNAPSHOT of a state in its stored form: what is stored is not encoded again for each reader.
// At is its time in Unix milliseconds; 0: it has none.
func StateSnapshot(raw json.RawMessage, at int64) json.RawMessage {
	return snapshotData(agui.TypeStateSnapshot, at, "snapshot", Object(raw))
}

// MessagesSnapshot returns the encoded MESSAGES_SNAPSHOT of messages in their stored form; at is as in [StateSnapshot].
func MessagesSnapshot(messages state.Conversation, at int64) json.RawMessage {
	return snapshotData(agui.TypeMessagesSnapshot, at, "messages", messages.JSON())
}

func snapshotData(name agui.EventType, at int64, member string, value json.RawMessage) json.RawMessage {
	const most = len(`{"type":"","timestamp":,"":}`) + len("-9223372036854775808")
	data := make([]byte, 0, most+len(name)+len(member)+len(value))
	data = append(append(append(data, `{"type":"`...), name...), '"')
	if at != 0 {
		data = strconv.AppendInt(append(data, `,"timestamp":`...), at, 10)
	}
	data = append(append(append(data, `,"`...), member...), `":`...)
	return append(append(data, value...), '}')
}

// Object returns a state as an object: a state that was never set is empty.
func Object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
