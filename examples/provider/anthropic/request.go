package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A request is what the API is sent.
type request struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	Stream      bool      `json:"stream"`
	System      string    `json:"system,omitempty"`
	Messages    []message `json:"messages"`
	Temperature *float64  `json:"temperature,omitempty"`
	Tools       []tool    `json:"tools,omitempty"`
	ToolChoice  *choice   `json:"tool_choice,omitempty"`
	Thinking    *thinking `json:"thinking,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type choice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens"`
}

// body is r in the form of the API. A reply that has to match a schema is asked for as the call of a tool with the name
// answer: every model can do that, and the API holds the input of tools to their schemas.
func (m *Model) body(r model.Request) (body []byte, answer string, err error) {
	out := request{Model: m.s.Model, MaxTokens: m.s.MaxTokens, Stream: true, Temperature: m.s.Temperature}
	if m.s.Thinking > 0 {
		out.Thinking = &thinking{"enabled", m.s.Thinking}
	}
	var system []string
	for _, said := range r.Messages {
		if said.Role == agui.RoleSystem {
			system = append(system, said.Text)
		}
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{model.ToolName(t.Name), t.Description, schema(t.Parameters)})
	}
	if r.Schema != nil && isObject(r.Schema) {
		answer = "answer_" + model.ToolName(r.SchemaName)
		answer = answer[:min(len(answer), 64)]
		out.Tools = append(out.Tools, tool{answer, "Gives the answer.", r.Schema})
		if len(r.Tools) == 0 && out.Thinking == nil {
			out.ToolChoice = &choice{"tool", answer}
		} else {
			system = append(system, "Give your answer by calling the tool "+answer+".")
		}
	} else if r.Schema != nil {
		system = append(system, "Answer with JSON that matches this JSON Schema, and nothing else: "+string(r.Schema))
	}
	out.System = strings.Join(system, "\n\n")
	out.Messages = messages(r.Messages)
	body, err = json.Marshal(out)
	return body, answer, err
}

// isObject reports whether a schema is one of objects, as that of a tool's input has to be.
func isObject(raw json.RawMessage) bool {
	var s struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &s) == nil && s.Type == "object"
}

// schema is that of a tool's input. One that is not of objects is of a tool that takes nothing.
func schema(raw json.RawMessage) json.RawMessage {
	if !isObject(raw) {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return raw
}
