package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// An object is a part of a request.
type object = map[string]any

// A message is one of the API's. The roles user and assistant alternate.
type message struct {
	Role    agui.Role `json:"role"`
	Content []object  `json:"content"`
}

// body returns r in the form of the API, and whether it has thoughts of earlier replies.
func (m *Model) body(r model.Request, f form) (body []byte, thoughts bool, err error) {
	q := object{"model": m.o.Name, "max_tokens": m.o.MaxTokens, "stream": true}
	output := object{}
	if m.o.Temperature != nil {
		q["temperature"] = *m.o.Temperature
	}
	switch {
	case m.o.Effort != "": // newer models show nothing of their thoughts by default
		q["thinking"], output["effort"] = object{"type": "adaptive", "display": "summarized"}, m.o.Effort
	case m.o.Thinking > 0:
		q["thinking"] = object{"type": "enabled", "budget_tokens": m.o.Thinking}
	}
	var system []string
	for _, said := range r.Messages {
		if said.Role == agui.RoleSystem && said.Text != "" {
			system = append(system, said.Text)
		}
	}
	switch {
	case r.Schema == nil:
	case f.noSchema:
		system = append(system, "Answer with JSON that matches this JSON Schema, and with nothing else, no fence "+
			"around it: "+string(r.Schema))
	default:
		output["format"] = object{"type": "json_schema", "schema": r.Schema}
	}
	if system != nil {
		q["system"] = strings.Join(system, "\n\n")
	}
	if len(output) > 0 {
		q["output_config"] = output
	}
	tools := make([]object, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = object{"name": model.ToolName(t.Name), "description": t.Description,
			"input_schema": provider.ToolParameters(t.Parameters)}
	}
	if len(tools) > 0 {
		q["tools"] = tools
	}
	q["messages"], thoughts = m.messages(r.Messages, f)
	body, err = json.Marshal(q)
	return body, thoughts, err
}

// messages are those of a conversation without the system's, and whether there are thoughts among them. Results of
// tools are blocks of the user, and neighbours of one role are one message.
func (m *Model) messages(said []model.Message, f form) (out []message, thoughts bool) {
	add := func(role agui.Role, blocks []object) {
		if len(out) == 0 && role == agui.RoleAssistant && blocks != nil {
			out = append(out, message{agui.RoleUser, []object{text("(The conversation begins.)")}})
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks...)
		} else if blocks != nil {
			out = append(out, message{role, blocks})
		}
	}
	for _, one := range said {
		switch one.Role {
		case agui.RoleSystem:
		case agui.RoleTool:
			result := object{"type": "tool_result", "tool_use_id": model.ToolName(one.CallID), "content": content(one)}
			add(agui.RoleUser, []object{result})
		case agui.RoleAssistant:
			kept := m.keptOf(one.Opaque, f)
			thoughts = thoughts || kept != nil
			add(agui.RoleAssistant, spoken(one, kept))
		default:
			add(agui.RoleUser, content(one))
		}
	}
	return out, thoughts
}

// text is a block of text.
func text(s string) object { return object{"type": "text", "text": s} }

// spoken are the blocks of a message of an assistant: texts and calls, with the thoughts where they stood.
func spoken(m model.Message, thoughts []thought) (blocks []object) {
	begun, called := 0, 0
	until := func(end, calls int) {
		// the API refuses texts that are empty, or end in white space
		if end = max(begun, min(end, len(m.Text))); strings.TrimSpace(m.Text[begun:end]) != "" {
			blocks = append(blocks, text(strings.TrimSpace(m.Text[begun:end])))
		}
		begun = end
		for ; called < min(calls, len(m.Calls)); called++ {
			c := m.Calls[called]
			blocks = append(blocks, object{"type": "tool_use", "id": model.ToolName(c.ID),
				"name": model.ToolName(c.Name), "input": json.RawMessage(provider.ObjectText(c.Arguments))})
		}
	}
	for _, t := range thoughts {
		until(t.Text, t.Calls)
		blocks = append(blocks, t.block())
	}
	until(len(m.Text), len(m.Calls))
	return blocks
}

// content are the blocks of a message of a user or a tool. The API wants at least one.
func content(m model.Message) (blocks []object) {
	parts := m.Parts
	if parts == nil {
		parts = []agui.Part{{Type: agui.PartText, Text: m.Text}}
	}
	for _, p := range parts {
		if p.Type == agui.PartText && strings.TrimSpace(p.Text) != "" {
			blocks = append(blocks, text(p.Text))
		} else if p.Source != nil {
			blocks = append(blocks, media(p.Type, *p.Source))
		}
	}
	if blocks == nil {
		blocks = append(blocks, text("(empty message)"))
	}
	return blocks
}

// inline are the media types that the API takes as data.
var inline = map[agui.PartType][]string{
	agui.PartImage:    {"image/jpeg", "image/png", "image/gif", "image/webp"},
	agui.PartDocument: {"application/pdf"},
}

// media is a picture or a document in the API's form, or a note in words.
func media(kind agui.PartType, s agui.Source) object {
	link := s.Type == agui.SourceURL &&
		(strings.HasPrefix(s.Value, "https://") || strings.HasPrefix(s.Value, "http://"))
	switch {
	case link && inline[kind] != nil:
		return object{"type": string(kind), "source": object{"type": "url", "url": s.Value}}
	case link:
		return text("[" + string(kind) + ": " + s.Value + "]")
	case s.Type == agui.SourceData && slices.Contains(inline[kind], s.MimeType):
		return object{"type": string(kind),
			"source": object{"type": "base64", "media_type": s.MimeType, "data": s.Value}}
	case s.Type == agui.SourceData && kind == agui.PartDocument &&
		(strings.HasPrefix(s.MimeType, "text/") || s.MimeType == "application/json"):
		if raw, err := base64.StdEncoding.DecodeString(s.Value); err == nil && len(raw) > 0 {
			return text(string(raw))
		}
	}
	return text("[" + string(kind) + ", which cannot be shown here]")
}
