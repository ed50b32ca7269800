package model

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// A Request is what a model is asked.
type Request struct {
	Messages []Message
	// Tools are those the model may call.
	Tools []Tool
	// Schema, if set, is the JSON Schema the reply is to match, SchemaName its name there. With Strict the model's
	// server holds the model to it, for which it wants every member required and no others allowed. Agents check the
	// reply in any case.
	Schema     json.RawMessage
	SchemaName string
	Strict     bool
}

// A Message is one message of what a model is sent. The role is system, user, assistant or tool.
type Message struct {
	Role agui.Role
	// Text is the text of the message; that of a tool's also names its other parts. It is enough for a model that takes
	// only text.
	Text string
	// Parts, if there are any, are the whole of a user's or a tool's message, images and files included.
	Parts []agui.Part
	Calls []Call // of an assistant's
	// Reasoning is the reasoning of an assistant's message in the current turn, and for an [Echoer] of earlier ones
	// with calls. Some models want it back, and others refuse it: package openai sends it if its options say so.
	Reasoning string
	// Opaque is that of the [Reply], for an assistant's message in the current turn.
	Opaque json.RawMessage
	// CallID is the call a tool's message answers.
	CallID string
}

// A Call is a call of a tool that the model makes. Arguments is what the model wrote, which ought to be a JSON object.
// Callers of a model tell calls apart by their order in the reply; ids connect calls and results in the messages they
// send.
type Call struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A Tool is the description of a tool for a model.
type Tool struct {
	Name        string // one that [ToolName] returns, where agents ask
	Description string
	Parameters  json.RawMessage // a JSON Schema; nil takes no arguments
}

// ToolName is the name by which models know the tool called name: their servers take up to 64 letters, digits, '_' and
// '-'. A name that is more than that is changed, and no two names become one. Of such a name, ToolName returns the
// name.
func ToolName(name string) string {
	const most = 64
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	switch {
	case safe == "":
		return "reply"
	case len(safe) > most || safe != name: // two names must not become one
		return safe[:min(len(safe), most-10)] + "_" + shortid.Of(name)
	default:
		return safe
	}
}
