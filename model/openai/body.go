package openai

import (
	"encoding/json"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// A chatRequest is the body of a request for chat completions: go-openai's, with other types for members of which
// go-openai loses a part. docs/adr/0016-readers-of-model-streams.md lists them.
type chatRequest struct {
	goopenai.ChatCompletionRequest
	Messages       []chatMessage `json:"messages"`
	Temperature    *float64      `json:"temperature,omitempty"`
	ResponseFormat any           `json:"response_format,omitempty"`
}

type chatMessage struct {
	Role       agui.Role  `json:"role"`
	Content    any        `json:"content,omitempty"` // text, also empty text, or parts
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	// The model's reasoning, under the name that its server has for it.
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	Reasoning        *string         `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type chatCall struct {
	goopenai.ToolCall
	// ExtraContent is the signature of one provider, which refuses calls without it.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

func (m *Model) body(r model.Request, f form) ([]byte, error) {
	if m.o.API == Responses {
		return m.responsesBody(r, f)
	}
	w := chatRequest{Temperature: m.o.Temperature, Messages: make([]chatMessage, 0, len(r.Messages)+1),
		ResponseFormat: responseFormat(r, f.structured)}
	w.Model, w.Stream, w.ReasoningEffort = m.o.Name, true, m.o.Effort
	if !f.noUsage {
		w.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	if (m.o.MaxTokensField == maxCompletionTokens) != f.otherMaxTokens {
		w.MaxCompletionTokens = m.o.MaxTokens
	} else {
		w.MaxTokens = m.o.MaxTokens //nolint:staticcheck // the only name that many servers know
	}
	for _, message := range withSchemaTold(r, f.structured) {
		w.Messages = append(w.Messages, m.messageBody(message))
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, goopenai.Tool{Type: goopenai.ToolTypeFunction,
			Function: &goopenai.FunctionDefinition{Name: model.ToolName(t.Name), Description: t.Description,
				Parameters: provider.ToolParameters(t.Parameters)}})
	}
	return json.Marshal(w)
}

func (m *Model) messageBody(message model.Message) chatMessage {
	w := chatMessage{Role: message.Role, Content: message.Text}
	switch {
	case message.Parts != nil && message.Role != agui.RoleTool: // the API takes nothing but text of tools
		w.Content = chatParts(message.Parts, m.o.Provider)
	case message.Text == "" && len(message.Calls) > 0:
		w.Content = nil // some servers refuse an empty text beside calls, and none refuses a message without text
	}
	for _, c := range message.Calls {
		w.ToolCalls = append(w.ToolCalls, chatCall{ToolCall: goopenai.ToolCall{
			ID: shortid.Of(c.ID), Type: goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{Name: model.ToolName(c.Name), Arguments: provider.ObjectText(c.Arguments)},
		}})
	}
	if message.CallID != "" {
		w.ToolCallID = shortid.Of(message.CallID)
	}
	if message.Role == agui.RoleAssistant {
		m.sendBack(&w, message)
	}
	return w
}
