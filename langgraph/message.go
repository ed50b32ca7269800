package langgraph

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// The supported types of messages.
const (
	typeHuman = "human"
	typeAI    = "ai"
	typeTool  = "tool"
)

// A message is one as a LangGraph server tells of it, whole or a piece of one.
type message struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"tool_calls"`
	Pieces *[]callPiece `json:"tool_call_chunks"`
	Extra  struct {
		Marked    bool            `json:"gateway"`
		Reasoning json.RawMessage `json:"reasoning_content"`
	} `json:"additional_kwargs"`
	Response struct {
		Model     string `json:"model_name"`
		OtherName string `json:"model"`
		Provider  string `json:"model_provider"`
	} `json:"response_metadata"`
	Usage *usage `json:"usage_metadata"`
}

type callPiece struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Args  surrogate.Text  `json:"args"`
	Index json.RawMessage `json:"index"`
}

type usage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Total   int64 `json:"total_tokens"`
	Details struct {
		Read    int64 `json:"cache_read"`
		Written int64 `json:"cache_creation"`
	} `json:"input_token_details"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning"`
	} `json:"output_token_details"`
}

// messagesOf returns the messages of a list without other elements.
func messagesOf(raw json.RawMessage) []message {
	var list []json.RawMessage
	if exact.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []message
	for _, raw := range list {
		if m, ok := messageOf(raw); ok {
			out = append(out, m)
		}
	}
	return out
}

// messageOf reads a message. A member of another type than it should have is passed over: graphs put messages together
// by themselves.
func messageOf(raw json.RawMessage) (message, bool) {
	var m message
	if err := exact.Unmarshal(raw, &m); err != nil && (m.Type == "" || m.ID == "") {
		return m, false
	}
	m.Type = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(m.Type, "Chunk"), "Message"))
	return m, m.Type != ""
}

// isPiece reports whether a message of the stream is to be added to those before it, and not the whole of them.
func isPiece(raw json.RawMessage, m *message) bool {
	var body struct{ Type string }
	_ = exact.Unmarshal(raw, &body) // it is that of m
	return m.Pieces != nil || strings.HasSuffix(body.Type, "Chunk")
}

func isMarked(m *message) bool { return m.Extra.Marked }

// A block is a part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      surrogate.Text  `json:"text"`
	Thinking  surrogate.Text  `json:"thinking"`
	Reasoning surrogate.Text  `json:"reasoning"`
	Summary   json.RawMessage `json:"summary"`
}

// saidBy is what a message says, and what it thinks.
func saidBy(m *message) (text, thought surrogate.Text) {
	if exact.Unmarshal(m.Extra.Reasoning, &thought) != nil {
		thought = ""
	}
	if exact.Unmarshal(m.Content, &text) == nil {
		return text, thought
	}
	var blocks []json.RawMessage
	_ = exact.Unmarshal(m.Content, &blocks) // any other value has no text
	for _, raw := range blocks {
		var plain surrogate.Text
		if exact.Unmarshal(raw, &plain) == nil {
			text += plain
			continue
		}
		var b block
		_ = exact.Unmarshal(raw, &b) // any other value has no text
		switch b.Type {
		case "text", "text_delta", "output_text":
			text += b.Text
		case "thinking", "reasoning", "reasoning_content":
			thought += b.Thinking + b.Reasoning + summaryOf(b.Summary)
		}
	}
	return text, thought
}

// summaryOf is the text of a summary of reasoning.
func summaryOf(raw json.RawMessage) (text surrogate.Text) {
	var parts []struct {
		Text surrogate.Text `json:"text"`
	}
	_ = exact.Unmarshal(raw, &parts) // any other value has no text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func resultOf(m *message) agui.Content {
	text, _ := saidBy(m)
	var plain string
	if text == "" && exact.Unmarshal(m.Content, &plain) != nil {
		text = surrogate.Text(m.Content)
	}
	return agui.TextContent(text.Valid())
}

// A sentMessage is a message as a server is sent it.
type sentMessage struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Content    json.RawMessage `json:"content,omitempty"`
	Name       string          `json:"name,omitempty"`
	ToolCalls  []sentCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Extra      map[string]bool `json:"additional_kwargs,omitempty"`
}

// A sentCall is a tool call as a server is sent it.
type sentCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// sentForm is a message as a server is sent it, if there is such a kind there.
func sentForm(m *agui.Message) (sentMessage, bool) {
	out := sentMessage{ID: m.ID}
	switch m.Role {
	case agui.RoleUser:
		out.Type, out.Name, out.Extra = typeHuman, m.Name, map[string]bool{"gateway": true}
	case agui.RoleSystem, agui.RoleDeveloper:
		out.Type = "system"
	case agui.RoleAssistant:
		out.Type = typeAI
		for _, c := range m.ToolCalls {
			args := json.RawMessage(c.Function.Arguments)
			if membersOf(args) == nil {
				args = json.RawMessage("{}")
			}
			out.ToolCalls = append(out.ToolCalls, sentCall{ID: c.ID, Name: c.Function.Name, Args: args})
		}
	case agui.RoleTool:
		out.Type, out.ToolCallID = typeTool, m.ToolCallID
	default:
		return out, false
	}
	raw, err := json.Marshal(contentForm(m.Content))
	out.Content = raw
	return out, err == nil
}

// contentForm is content as a server is sent it: text, or text with media.
func contentForm(c agui.Content) any {
	parts, several := c.Parts()
	if !several {
		return c.Text()
	}
	list := []map[string]any{}
	for _, p := range parts {
		switch {
		case p.Type == agui.PartText:
			list = append(list, map[string]any{"type": "text", "text": p.Text})
		case p.Source == nil:
		case p.Type == agui.PartImage:
			list = append(list,
				map[string]any{"type": "image_url", "image_url": map[string]string{"url": urlOf(p.Source)}})
		default:
			kind, member := "url", "url"
			if p.Source.Type == agui.SourceData {
				kind, member = "base64", "data"
			}
			list = append(list, map[string]any{"type": "file", "source_type": kind, member: p.Source.Value,
				"mime_type": p.Source.MimeType})
		}
	}
	return list
}

func urlOf(s *agui.Source) string {
	if s.Type == agui.SourceData {
		return "data:" + s.MimeType + ";base64," + s.Value
	}
	return s.Value
}
