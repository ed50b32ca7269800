package mcp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// result returns the result of a call; a *tools.Error if the tool reports a failure.
func (s *Server) result(r *sdk.CallToolResult, arguments json.RawMessage) (tools.Result, error) {
	content := contentOf(r)
	if !r.IsError {
		return tools.Result{Content: content}, nil
	}
	text := content.Text()
	if text == "" {
		text = "The tool failed."
	}
	return tools.Result{},
		&tools.Error{Text: text, Err: s.mask(errors.New("the tool failed: "+text), string(arguments))}
}

// contentOf converts a result to AG-UI: a text if it has nothing else, parts otherwise. If no part has text, one is
// added that names the media, because a model is given the text only.
func contentOf(r *sdk.CallToolResult) agui.Content {
	var parts []agui.Part
	media := 0
	for _, c := range r.Content {
		p, ok := partOf(c)
		if !ok {
			continue
		}
		if p.Type != agui.PartText {
			media++
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			return agui.TextContent(string(raw))
		}
	}
	content := agui.PartsContent(parts...)
	if media == 0 {
		return agui.TextContent(content.Text())
	}
	if content.Text() == "" {
		what := fmt.Sprintf("The result is %d × media: %s.", media, kinds(parts))
		content = agui.PartsContent(append([]agui.Part{{Type: agui.PartText, Text: what}}, parts...)...)
	}
	return content
}

func kinds(parts []agui.Part) string {
	var list []string
	for _, p := range parts {
		list = append(list, p.Source.MimeType)
	}
	return strings.Join(list, ", ")
}

// partOf converts one piece of a result; ok is false for kinds that are not known.
func partOf(c sdk.Content) (agui.Part, bool) {
	switch c := c.(type) {
	case *sdk.TextContent:
		return textPart(c.Text), true
	case *sdk.ImageContent:
		return dataPart(c.MIMEType, c.Data), true
	case *sdk.AudioContent:
		return dataPart(c.MIMEType, c.Data), true
	case *sdk.ResourceLink:
		name := c.Title
		if name == "" {
			name = c.Name
		}
		return textPart(strings.TrimSpace(name + " " + c.URI)), true
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
			return agui.Part{}, false
		case c.Resource.Blob != nil:
			return dataPart(c.Resource.MIMEType, c.Resource.Blob), true
		default:
			return textPart(c.Resource.Text), true
		}
	default:
		return agui.Part{}, false
	}
}

func textPart(text string) agui.Part { return agui.Part{Type: agui.PartText, Text: text} }

// dataPart makes a part that holds its bytes.
func dataPart(mime string, data []byte) agui.Part {
	if mime == "" {
		mime = "application/octet-stream"
	}
	return agui.Part{Type: agui.PartOfMedia(mime),
		Source: &agui.Source{Type: agui.SourceData, Value: base64.StdEncoding.EncodeToString(data), MimeType: mime}}
}
