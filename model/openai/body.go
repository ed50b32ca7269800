package openai

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// A wireRequest is the body of a request. go-openai's own cannot say temperature 0, an empty result of a tool, a file or a sound, and it
// refuses the names of models it believes to know. So this one takes its place.
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

// body is r as it is sent.
func (m *Model) body(r model.Request) ([]byte, error) {
	w := wireRequest{
		Model: m.o.Name, Stream: true, StreamOptions: wireUsageAsked{true},
		Temperature: m.o.Temperature, ReasoningEffort: m.o.Effort, Messages: make([]wireMessage, 0, len(r.Messages)),
	}
	if m.official { // OpenAI takes only the new name for models that reason; other servers know only the old one
		w.MaxCompletionTokens = m.o.MaxTokens
	} else {
		w.MaxTokens = m.o.MaxTokens
	}
	for _, message := range r.Messages {
		w.Messages = append(w.Messages, messageBody(message, m.o.Provider))
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, wireTool{"function", wireFunction{
			Name: model.ToolName(t.Name), Description: t.Description, Parameters: toolParameters(t.Parameters),
		}})
	}
	if r.Schema != nil {
		w.ResponseFormat = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": model.ToolName(r.SchemaName), "schema": r.Schema, "strict": r.Strict,
		}}
	}
	return json.Marshal(w)
}

// messageBody is m as the API has it.
func messageBody(m model.Message, provider string) wireMessage {
	w := wireMessage{Role: m.Role, Content: m.Text}
	switch {
	case m.Parts != nil && m.Role != agui.RoleTool: // the API takes nothing but text of tools
		w.Content = wireParts(m.Parts, provider)
	case m.Text == "" && len(m.Calls) > 0:
		w.Content = nil // some servers refuse an empty text beside calls, and none refuses a message without text
	}
	for _, c := range m.Calls {
		arguments := objectText(c.Arguments)
		w.ToolCalls = append(w.ToolCalls, wireCall{
			ID: shortid.Of(c.ID), Type: "function", Function: wireFunction{Name: model.ToolName(c.Name), Arguments: &arguments},
		})
	}
	if m.CallID != "" {
		w.ToolCallID = shortid.Of(m.CallID)
	}
	return w
}

// objectText is arguments, or an empty object if a call was cut off before they were complete: servers decode arguments, and refuse a
// conversation in which they cannot. The call's result tells the model what became of the call.
func objectText(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return "{}"
	}
	return arguments
}

// toolParameters is schema as servers accept it: an object, with the members type and properties, on which some insist.
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
