package a2a

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/internal/exact"
)

// The versions of A2A that are spoken here, as requests name them in the header [versionHeader].
const (
	version10     = "1.0"
	version03     = "0.3"
	versionHeader = "A2A-Version"
)

// A dialect is how a version writes its requests. What answers look like is read in either way: see [parseEvent].
type dialect = *versionNames

type versionNames struct {
	version                              string
	send, stream, get, cancel, subscribe string // methods
	user                                 string // a role
	// now is the member of a configuration that asks for an answer before the task is over, nowValue its value.
	now      string
	nowValue bool
}

var (
	dialect10 = &versionNames{
		version: version10, send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", cancel: "CancelTask",
		subscribe: "SubscribeToTask", user: "ROLE_USER", now: "returnImmediately", nowValue: true,
	}
	dialect03 = &versionNames{
		version: version03, send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel",
		subscribe: "tasks/resubscribe", user: "user", now: "blocking", nowValue: false,
	}
)

// dialectOf returns the dialect of a version that a card names; nil is none.
func dialectOf(version string) dialect {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch {
	case major == "1":
		return dialect10
	case major == "0" && (minor == "3" || minor == "2"):
		return dialect03
	default:
		return nil
	}
}

// message writes a message of the user's as the params of a request for it.
func (e endpoint) message(m outgoing) map[string]any {
	parts := make([]any, len(m.parts))
	for i, p := range m.parts {
		parts[i] = e.part(p)
	}
	message := map[string]any{"messageId": m.id, "role": e.dialect.user, "parts": parts}
	if e.dialect == dialect03 {
		message["kind"] = "message"
	}
	if m.task != "" {
		message["taskId"] = m.task // the server knows its context
	} else {
		message["contextId"] = m.context
	}
	return e.params(map[string]any{"message": message,
		"configuration": map[string]any{e.dialect.now: e.dialect.nowValue}})
}

func (e endpoint) params(members map[string]any) map[string]any {
	if e.tenant != "" {
		members["tenant"] = e.tenant
	}
	return members
}

func (e endpoint) part(p part) map[string]any {
	out := map[string]any{}
	if e.dialect == dialect03 {
		switch {
		case p.Data != nil:
			return map[string]any{"kind": "data", "data": object(p.Data)}
		case p.isFile():
			file := map[string]any{}
			put(file, "bytes", p.Bytes)
			put(file, "uri", p.URL)
			put(file, "mimeType", p.MediaType)
			put(file, "name", p.Name)
			return map[string]any{"kind": "file", "file": file}
		}
		return map[string]any{"kind": "text", "text": p.Text}
	}
	put(out, "mediaType", p.MediaType)
	put(out, "filename", p.Name)
	switch {
	case p.Data != nil:
		out["data"] = p.Data
	case p.Bytes != "":
		out["raw"] = p.Bytes
	case p.URL != "":
		out["url"] = p.URL
	default:
		out["text"] = p.Text
	}
	return out
}

func put(members map[string]any, name, value string) {
	if value != "" {
		members[name] = value
	}
}

// object is data as an object, which 0.3 asks for.
func object(data json.RawMessage) any {
	var members map[string]json.RawMessage
	if exact.Unmarshal(data, &members) == nil && members != nil {
		return data
	}
	return map[string]any{"value": data}
}
