package openai

import (
	"encoding/json"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
	"github.com/agui-gateway/gateway/model/internal/shortid"
)

// responsesBody is r as the Responses API takes it, in the form f. The server does not store the reply: any replica
// sends the whole thread.
func (m *Model) responsesBody(r model.Request, f form) ([]byte, error) {
	input := []any{}
	w := goopenai.CreateResponseRequest{Model: m.o.Name, MaxOutputTokens: m.o.MaxTokens, Stream: true, Store: new(bool),
		Text: textFormat(r, f.structured)}
	if t := m.o.Temperature; t != nil {
		w.Temperature = new(float32(*t))
	}
	if m.o.Effort != "" {
		w.Reasoning = &goopenai.ResponseReasoning{Effort: m.o.Effort}
		if !f.noSummary {
			w.Reasoning.Summary = "auto"
		}
	}
	if !f.noInclude {
		w.Include = []goopenai.ResponseInclude{goopenai.ResponseIncludeReasoningEncryptedContent}
	}
	for i, message := range withSchemaTold(r, f.structured) {
		if i == 0 && message.Role == agui.RoleSystem && message.Parts == nil {
			w.Instructions = message.Text
			continue
		}
		input = append(input, m.inputItems(message)...)
	}
	w.Input = input
	for _, t := range r.Tools {
		tool := goopenai.NewResponseFunctionTool(goopenai.FunctionDefinition{
			Name: model.ToolName(t.Name), Description: t.Description, Parameters: provider.ToolParameters(t.Parameters),
		})
		tool.Parameters["strict"] = false // the API's own default is true, which refuses most schemas
		w.Tools = append(w.Tools, tool)
	}
	return json.Marshal(w)
}

// textFormat is the member that asks for r's schema.
func textFormat(r model.Request, l level) *goopenai.ResponseTextConfig {
	if r.Schema == nil || l == inWords {
		return nil
	}
	format := goopenai.ResponseTextFormat{Type: "json_object"}
	if l < anyObject {
		format = goopenai.ResponseTextFormat{Type: "json_schema", Name: model.ToolName(r.SchemaName), Schema: r.Schema,
			Strict: l == strictSchema}
	}
	return &goopenai.ResponseTextConfig{Format: &format}
}

func inputMessage(role agui.Role, content any) goopenai.ResponseInputMessage {
	return goopenai.ResponseInputMessage{Type: "message", Role: string(role), Content: content}
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
		return []any{goopenai.ResponseFunctionCallOutput{
			Type: "function_call_output", CallID: shortid.Of(message.CallID), Output: output,
		}}
	default:
		var content any = message.Text
		if message.Parts != nil {
			content = inputParts(message.Parts, m.o.Provider)
		}
		return []any{inputMessage(message.Role, content)}
	}
}

// spokenItems is what the model said, with its encrypted reasoning where it stood.
func (m *Model) spokenItems(message model.Message) []any {
	var items []any
	said, calls := message.Text == "", 0
	say := func() {
		if !said {
			said = true
			items = append(items, inputMessage(agui.RoleAssistant, message.Text))
		}
	}
	call := func() {
		if calls < len(message.Calls) {
			c := message.Calls[calls]
			calls++
			items = append(items,
				goopenai.ResponseOutputItem{Type: "function_call", CallID: shortid.Of(c.ID),
					Name: model.ToolName(c.Name), Arguments: provider.ObjectText(c.Arguments)})
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

// inputParts puts parts into the API's forms: those of chat completions under other names, and documents at addresses.
func inputParts(parts []agui.Part, provider string) []any {
	var out []any
	for _, p := range parts {
		s := p.Source
		if s != nil && s.Type == agui.SourceURL && p.Type == agui.PartDocument &&
			strings.HasPrefix(s.Value, "https://") {
			out = append(out, goopenai.ResponseInputFile{Type: "input_file", FileURL: s.Value})
			continue
		}
		if s != nil && p.Type == agui.PartImage && s.Type == agui.SourceFile &&
			(s.Provider == "" || strings.EqualFold(s.Provider, provider)) {
			out = append(out, goopenai.ResponseInputImage{Type: "input_image", FileID: s.Value})
			continue
		}
		if p.Type == agui.PartText && p.Text == "" || p.Type != agui.PartText && s == nil {
			continue
		}
		for _, w := range chatParts([]agui.Part{p}, provider) {
			out = append(out, w.input(p.Type))
		}
	}
	if out == nil {
		out = []any{inputText("(empty message)")}
	}
	return out
}

// input is p, which was a part of a kind, as the Responses API has it.
func (p chatPart) input(kind agui.PartType) any {
	switch {
	case p.ImageURL != nil:
		return goopenai.ResponseInputImage{Type: "input_image", ImageURL: p.ImageURL.URL}
	case p.File != nil:
		return goopenai.ResponseInputFile{Type: "input_file", FileID: p.File.ID, Filename: p.File.Name,
			FileData: p.File.Data}
	case p.Audio != nil:
		return inputText("[" + string(kind) + ", which cannot be heard here]")
	default:
		return inputText(p.Text)
	}
}

func inputText(text string) goopenai.ResponseInputText {
	return goopenai.ResponseInputText{Type: "input_text", Text: text}
}
