package model

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A Request is what a model is asked.
type Request struct {
	Messages []Message
	// Tools are those the model may call.
	Tools []Tool
	// Schema, if set, is the JSON Schema the reply is to match, SchemaName its name there. With Strict the server holds
	// the model to it, for which it wants every member required and no others allowed.
	Schema     json.RawMessage
	SchemaName string
	Strict     bool
}

// texts is all that the request tells the server of a conversation.
func (r Request) texts() []string {
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
		for _, p := range m.Parts {
			texts = append(texts, p.Text)
		}
		for _, c := range m.Calls {
			texts = append(texts, c.Arguments)
		}
	}
	return texts
}

// A Message is one message of what a model is sent. The role is system, user, assistant or tool.
type Message struct {
	Role agui.Role
	Text string
	// Parts, of a user's message, take the place of Text. What the API has no form for is told of in words.
	Parts []agui.Part
	Calls []Call // of an assistant's
	// CallID is the call a tool's message answers.
	CallID string
}

// A Call is a call of a tool that the model makes. Arguments is what the model wrote, which ought to be JSON.
type Call struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A Tool is a tool as a model is told of it.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema; nil takes no arguments
}

// A wireRequest is the body of a request. go-openai's own cannot say temperature 0, an empty result of a tool, a file or a sound, and it refuses the names
// of models it believes to know. So this one takes its place.
type wireRequest struct {
	Model               string         `json:"model"`
	Messages            []wireMessage  `json:"messages"`
	Stream              bool           `json:"stream"`
	StreamOptions       wireUsageAsked `json:"stream_options"`
	Temperature         *float64       `json:"temperature,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	Tools               []wireTool     `json:"tools,omitempty"`
	ResponseFormat      any            `json:"response_format,omitempty"`
}

type wireUsageAsked struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       agui.Role  `json:"role"`
	Content    any        `json:"content,omitempty"` // text, also empty text, or parts
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Arguments   *string         `json:"arguments,omitempty"` // of a call
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // of a tool
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

// body is the request as it is sent.
func (m *Model) body(r Request) ([]byte, error) {
	w := wireRequest{
		Model: m.o.Name, Stream: true, StreamOptions: wireUsageAsked{true},
		Temperature: m.o.Temperature, ReasoningEffort: m.o.Effort, Messages: make([]wireMessage, 0, len(r.Messages)),
	}
	if m.official { // which takes the old name no more for models that reason, others do not know the new one
		w.MaxCompletionTokens = m.o.MaxTokens
	} else {
		w.MaxTokens = m.o.MaxTokens
	}
	for _, message := range r.Messages {
		w.Messages = append(w.Messages, message.wire(m.o.Provider))
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, wireTool{"function", wireFunction{
			Name: ToolName(t.Name), Description: t.Description, Parameters: toolParameters(t.Parameters),
		}})
	}
	if r.Schema != nil {
		w.ResponseFormat = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": ToolName(r.SchemaName), "schema": r.Schema, "strict": r.Strict,
		}}
	}
	return json.Marshal(w)
}

func (m Message) wire(provider string) wireMessage {
	w := wireMessage{Role: m.Role, Content: m.Text}
	switch {
	case m.Parts != nil:
		w.Content = wireParts(m.Parts, provider)
	case m.Text == "" && len(m.Calls) > 0:
		w.Content = nil // some servers refuse an empty text here, and none its absence
	}
	for _, c := range m.Calls {
		arguments := objectText(c.Arguments)
		w.ToolCalls = append(w.ToolCalls, wireCall{
			ID: wireID(c.ID), Type: "function", Function: wireFunction{Name: ToolName(c.Name), Arguments: &arguments},
		})
	}
	if m.CallID != "" {
		w.ToolCallID = wireID(m.CallID)
	}
	return w
}

// objectText is arguments, unless a call was cut off before they were complete: servers decode them, and refuse a
// conversation in which they cannot. The call's result says what became of it.
func objectText(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return "{}"
	}
	return arguments
}

// toolParameters is schema as servers accept it: an object, with the member that some insist on.
func toolParameters(schema json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(schema, &object) != nil || object == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	_, typed := object["type"]
	_, listed := object["properties"]
	if typed && listed {
		return schema
	}
	if !typed {
		object["type"] = json.RawMessage(`"object"`)
	}
	if !listed {
		object["properties"] = json.RawMessage(`{}`)
	}
	out, err := json.Marshal(object)
	if err != nil {
		return schema
	}
	return out
}

// wireID is the id of a call as the server is told it. Our ids are longer than the 40 characters that one provider takes, and
// another wants nine letters and digits.
func wireID(id string) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id))
	short := make([]byte, 9)
	for i := range short {
		short[i] = digits[int(sum[i])%len(digits)]
	}
	return string(short)
}

// ToolName is the name by which a server is told of the tool called name: servers take up to 64 letters, digits, '_' and '-'.
// A name that is none of that is changed, and no two names become one. In a [Reply] tools have this name.
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
		return safe[:min(len(safe), most-10)] + "_" + wireID(name)
	default:
		return safe
	}
}
