package groupchat

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A contentMessage is a message as OpenTelemetry's GenAI conventions write it. Only operators who ask for content
// receive any.
type contentMessage struct {
	Role         string        `json:"role"`
	Parts        []contentPart `json:"parts"`
	FinishReason string        `json:"finish_reason,omitempty"`
}

type contentPart struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// inputContent is the request to a model. Images and files are as in requests to models that accept nothing but text.
func inputContent(messages []model.Message) []contentMessage {
	var list []contentMessage
	for _, m := range messages {
		told := contentMessage{Role: string(m.Role)}
		if m.Role == agui.RoleTool {
			told.Parts = append(told.Parts, contentPart{Type: "tool_call_response", ID: m.CallID, Response: m.Text})
		} else {
			told.Parts = partsContent(m.Reasoning, m.Text, m.Calls)
		}
		list = append(list, told)
	}
	return list
}

func replyContent(r model.Reply) []contentMessage {
	return []contentMessage{{Role: string(agui.RoleAssistant), Parts: partsContent(r.Reasoning, r.Words(), r.Calls),
		FinishReason: r.Finish}}
}

func partsContent(reasoning, words string, calls []model.Call) []contentPart {
	var parts []contentPart
	if reasoning != "" {
		parts = append(parts, contentPart{Type: "reasoning", Content: reasoning})
	}
	if words != "" {
		parts = append(parts, contentPart{Type: "text", Content: words})
	}
	for _, c := range calls {
		told := contentPart{Type: "tool_call", ID: c.ID, Name: c.Name}
		if json.Valid([]byte(c.Arguments)) {
			told.Arguments = json.RawMessage(c.Arguments)
		}
		parts = append(parts, told)
	}
	return parts
}
