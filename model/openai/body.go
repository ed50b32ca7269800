package openai

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// A wireRequest is the body of a request. go-openai's own cannot say temperature 0, an empty result of a tool, a file
// or a sound, and it refuses the names of models it believes to know. So this one takes its place.
type wireRequest struct {
	Model               string          `json:"model"`
	Messages            []wireMessage   `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *wireUsageAsked `json:"stream_options,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	Tools               []wireTool      `json:"tools,omitempty"`
	ResponseFormat      any             `json:"response_format,omitempty"`
}

type wireUsageAsked struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       agui.Role  `json:"role"`
	Content    any        `json:"content,omitempty"` // text, also empty text, or parts
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// What the model thought, under the name that its server has for it.
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	Reasoning        *string         `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
	// ExtraContent is what one provider signs calls with, and refuses them without.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
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

func (m *Model) body(r model.Request, f form) ([]byte, error) {
	if m.o.API == Responses {
		return m.responsesBody(r, f)
	}
	w := wireRequest{
		Model: m.o.Name, Stream: true, Temperature: m.o.Temperature, ReasoningEffort: m.o.Effort,
		Messages: make([]wireMessage, 0, len(r.Messages)+1), ResponseFormat: responseFormat(r, f.structured),
	}
	if !f.noUsage {
		w.StreamOptions = &wireUsageAsked{true}
	}
	if (m.o.MaxTokensField == maxCompletionTokens) != f.otherMaxTokens {
		w.MaxCompletionTokens = m.o.MaxTokens
	} else {
		w.MaxTokens = m.o.MaxTokens
	}
	for _, message := range withSchemaTold(r, f.structured) {
		w.Messages = append(w.Messages, m.messageBody(message))
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, wireTool{"function", wireFunction{
			Name: model.ToolName(t.Name), Description: t.Description, Parameters: toolParameters(t.Parameters),
		}})
	}
	return json.Marshal(w)
}

func (m *Model) messageBody(message model.Message) wireMessage {
	w := wireMessage{Role: message.Role, Content: message.Text}
	switch {
	case message.Parts != nil && message.Role != agui.RoleTool: // the API takes nothing but text of tools
		w.Content = wireParts(message.Parts, m.o.Provider)
	case message.Text == "" && len(message.Calls) > 0:
		w.Content = nil // some servers refuse an empty text beside calls, and none refuses a message without text
	}
	for _, c := range message.Calls {
		arguments := objectText(c.Arguments)
		w.ToolCalls = append(w.ToolCalls, wireCall{
			ID: shortid.Of(c.ID), Type: "function",
			Function: wireFunction{Name: model.ToolName(c.Name), Arguments: &arguments},
		})
	}
	if message.CallID != "" {
		w.ToolCallID = shortid.Of(message.CallID)
	}
	if message.Role == agui.RoleAssistant {
		m.sendBack(&w, message)
	}
	return w
}

// objectText is arguments, or an empty object if a call was cut off before they were complete: servers decode
// arguments, and refuse a conversation in which they cannot. The call's result tells the model what became of the call.
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
