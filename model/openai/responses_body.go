package openai

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// A responsesRequest is the body of a request of the Responses API.
type responsesRequest struct {
	Model           string              `json:"model"`
	Instructions    string              `json:"instructions,omitempty"`
	Input           []any               `json:"input"`
	Tools           []responsesTool     `json:"tools,omitempty"`
	Text            any                 `json:"text,omitempty"`
	Reasoning       *responsesReasoning `json:"reasoning,omitempty"`
	Include         []string            `json:"include,omitempty"`
	Temperature     *float64            `json:"temperature,omitempty"`
	MaxOutputTokens int                 `json:"max_output_tokens,omitempty"`
	// Store is false: the thread is ours, and any replica sends all of it.
	Store  bool `json:"store"`
	Stream bool `json:"stream"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // the API's own default is true, which refuses most schemas
}

type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type responsesMessage struct {
	Type    string    `json:"type"`
	Role    agui.Role `json:"role"`
	Content any       `json:"content"` // text or parts
}

type responsesCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type responsesResult struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // text or parts
}

// responsesBody is r as the Responses API takes it, in the form f.
func (m *Model) responsesBody(r model.Request, f form) ([]byte, error) {
	w := responsesRequest{
		Model: m.o.Name, Input: []any{}, Temperature: m.o.Temperature, MaxOutputTokens: m.o.MaxTokens, Stream: true,
		Text: textFormat(r, f.structured),
	}
	if m.o.Effort != "" {
		w.Reasoning = &responsesReasoning{Effort: m.o.Effort}
		if !f.noSummary {
			w.Reasoning.Summary = "auto"
		}
	}
	if !f.noInclude {
		w.Include = []string{"reasoning.encrypted_content"}
	}
	for i, message := range withSchemaTold(r, f.structured) {
		if i == 0 && message.Role == agui.RoleSystem && message.Parts == nil {
			w.Instructions = message.Text
			continue
		}
		w.Input = append(w.Input, m.inputItems(message)...)
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, responsesTool{
			Type: "function", Name: model.ToolName(t.Name), Description: t.Description,
			Parameters: toolParameters(t.Parameters),
		})
	}
	return json.Marshal(w)
}

// textFormat is the member that asks for r's schema.
func textFormat(r model.Request, l level) any {
	if r.Schema == nil || l == inWords {
		return nil
	}
	format := map[string]any{"type": "json_object"}
	if l < anyObject {
		format = namedSchema(r, l)
		format["type"] = "json_schema"
	}
	return map[string]any{"format": format}
}

func (m *Model) inputItems(message model.Message) []any {
	switch message.Role {
	case agui.RoleAssistant:
		return m.spokenItems(message)
	case agui.RoleTool:
		var output any = message.Text
		if hasMedia(message.Parts) {
			output = inputParts(message.Parts, m.o.Provider)
		}
		return []any{responsesResult{"function_call_output", shortid.Of(message.CallID), output}}
	default:
		var content any = message.Text
		if message.Parts != nil {
			content = inputParts(message.Parts, m.o.Provider)
		}
		return []any{responsesMessage{"message", message.Role, content}}
	}
}

// spokenItems is what the model said, with its encrypted reasoning where it stood.
func (m *Model) spokenItems(message model.Message) []any {
	var items []any
	said, calls := message.Text == "", 0
	say := func() {
		if !said {
			said = true
			items = append(items, responsesMessage{"message", agui.RoleAssistant, message.Text})
		}
	}
	call := func() {
		if calls < len(message.Calls) {
			c := message.Calls[calls]
			calls++
			items = append(items,
				responsesCall{"function_call", shortid.Of(c.ID), model.ToolName(c.Name), objectText(c.Arguments)})
		}
	}
	var kept responsesOpaque
	if message.Opaque != nil && json.Unmarshal(message.Opaque, &kept) == nil && kept.Origin == m.origin() {
		for _, item := range kept.Items {
			switch {
			case item.Reasoning != nil:
				items = append(items, item.Reasoning)
			case item.Call:
				call()
			default:
				say()
			}
		}
	}
	say()
	for calls < len(message.Calls) {
		call()
	}
	return items
}

// hasMedia reports whether some of parts is not text.
func hasMedia(parts []agui.Part) bool {
	for _, p := range parts {
		if p.Type != agui.PartText {
			return true
		}
	}
	return false
}

// An inputPart is a part of a message, or of what a tool returned.
type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	FileURL  string `json:"file_url,omitempty"`
	FileID   string `json:"file_id,omitempty"`
	FileName string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

// inputParts puts parts into the API's forms: those of chat completions under other names, and documents at addresses.
func inputParts(parts []agui.Part, provider string) []inputPart {
	var out []inputPart
	for _, p := range parts {
		s := p.Source
		if s != nil && s.Type == agui.SourceURL && p.Type == agui.PartDocument &&
			strings.HasPrefix(s.Value, "https://") {
			out = append(out, inputPart{Type: "input_file", FileURL: s.Value})
			continue
		}
		if s != nil && p.Type == agui.PartImage && s.Type == agui.SourceFile &&
			(s.Provider == "" || strings.EqualFold(s.Provider, provider)) {
			out = append(out, inputPart{Type: "input_image", FileID: s.Value})
			continue
		}
		if p.Type == agui.PartText && p.Text == "" || p.Type != agui.PartText && s == nil {
			continue
		}
		for _, w := range wireParts([]agui.Part{p}, provider) {
			out = append(out, w.input(p.Type))
		}
	}
	if out == nil {
		out = []inputPart{{Type: "input_text", Text: "(empty message)"}}
	}
	return out
}

// input is w, which was a part of a kind, as the Responses API has it.
func (w wirePart) input(kind agui.PartType) inputPart {
	switch {
	case w.ImageURL != nil:
		return inputPart{Type: "input_image", ImageURL: w.ImageURL.URL}
	case w.File != nil:
		return inputPart{Type: "input_file", FileID: w.File.ID, FileName: w.File.Name, FileData: w.File.Data}
	case w.Audio != nil:
		return inputPart{Type: "input_text", Text: "[" + string(kind) + ", which cannot be heard here]"}
	default:
		return inputPart{Type: "input_text", Text: w.Text}
	}
}
