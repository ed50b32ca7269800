package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A message is one of the API's: the roles user and assistant alternate.
type message struct {
	Role    agui.Role `json:"role"`
	Content []any     `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolUse struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	Type    string `json:"type"`
	ID      string `json:"tool_use_id"`
	Content []any  `json:"content,omitempty"`
}

type mediaBlock struct {
	Type   string `json:"type"`
	Source source `json:"source"`
}

type source struct {
	Type  string `json:"type"`
	Media string `json:"media_type,omitempty"`
	Data  string `json:"data,omitempty"`
	URL   string `json:"url,omitempty"`
}

// messages are those of a conversation without the system's. Results of tools are the user's blocks there, and
// neighbours of one role are one message.
func messages(said []model.Message) []message {
	var out []message
	add := func(role agui.Role, blocks ...any) {
		switch last := len(out) - 1; {
		case len(blocks) == 0:
		case last >= 0 && out[last].Role == role:
			out[last].Content = append(out[last].Content, blocks...)
		case last < 0 && role == agui.RoleAssistant:
			out = append(out, message{agui.RoleUser, []any{text("(The conversation begins.)")}}, message{role, blocks})
		default:
			out = append(out, message{role, blocks})
		}
	}
	for _, m := range said {
		switch m.Role {
		case agui.RoleSystem:
		case agui.RoleTool:
			add(agui.RoleUser, toolResult{"tool_result", model.ToolName(m.CallID), content(m)})
		case agui.RoleAssistant:
			add(agui.RoleAssistant, spoken(m)...)
		default:
			add(agui.RoleUser, content(m)...)
		}
	}
	return out
}

// text is a block of text.
func text(s string) textBlock { return textBlock{"text", s} }

// spoken are the blocks of what an assistant said: its thoughts as the server signed them, its words and its calls.
func spoken(m model.Message) []any {
	blocks := thoughts(m.Opaque)
	if words := strings.TrimSpace(m.Text); words != "" { // the API refuses texts that are empty, or end in white space
		blocks = append(blocks, text(words))
	}
	for _, c := range m.Calls {
		blocks = append(blocks, toolUse{"tool_use", model.ToolName(c.ID), model.ToolName(c.Name), object(c.Arguments)})
	}
	return blocks
}

// content are the blocks of what a user or a tool said; none if that is nothing.
func content(m model.Message) []any {
	var blocks []any
	if m.Parts == nil && strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, text(m.Text))
	}
	for _, p := range m.Parts {
		switch {
		case p.Type == agui.PartText && strings.TrimSpace(p.Text) != "":
			blocks = append(blocks, text(p.Text))
		case p.Source != nil:
			blocks = append(blocks, media(p.Type, *p.Source))
		}
	}
	if blocks == nil && m.Role == agui.RoleUser {
		blocks = append(blocks, text("(empty message)"))
	}
	return blocks
}

// media is a picture or a document in the API's form, or words that stand for it.
func media(kind agui.PartType, s agui.Source) any {
	link := strings.HasPrefix(s.Value, "https://") || strings.HasPrefix(s.Value, "http://")
	block, known := map[agui.PartType]string{agui.PartImage: "image", agui.PartDocument: "document"}[kind]
	switch {
	case known && s.Type == agui.SourceURL && link:
		return mediaBlock{block, source{Type: "url", URL: s.Value}}
	case known && s.Type == agui.SourceData && strings.HasPrefix(s.MimeType, "text/"):
		if raw, err := base64.StdEncoding.DecodeString(s.Value); err == nil && len(raw) > 0 {
			return text(string(raw))
		}
	case known && s.Type == agui.SourceData && s.MimeType != "":
		return mediaBlock{block, source{Type: "base64", Media: s.MimeType, Data: s.Value}}
	}
	return text("[" + string(kind) + ", which cannot be shown here]")
}
