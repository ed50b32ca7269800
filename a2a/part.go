package a2a

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A part is a piece of a message or an artifact: text, data, or a file by its bytes, in base64, or its URL. Its text
// may hold halves of characters, see [surrogate.Text].
type part struct {
	Text            string
	Data            json.RawMessage
	Bytes, URL      string
	MediaType, Name string
}

func (p *part) isFile() bool { return p.Bytes != "" || p.URL != "" }

// UnmarshalJSON reads a part in the form of either version.
func (p *part) UnmarshalJSON(data []byte) error {
	var body struct {
		Text      surrogate.Text  `json:"text"`
		Raw       string          `json:"raw"`
		URL       string          `json:"url"`
		Data      json.RawMessage `json:"data"`
		MediaType string          `json:"mediaType"`
		Filename  string          `json:"filename"`
		File      struct {
			Name     string `json:"name"`
			MimeType string `json:"mimeType"`
			Bytes    string `json:"bytes"`
			URI      string `json:"uri"`
		} `json:"file"` // 0.3
	}
	if err := exact.Unmarshal(data, &body); err != nil {
		return err
	}
	*p = part{Text: string(body.Text), Bytes: body.Raw, URL: body.URL, MediaType: body.MediaType, Name: body.Filename}
	if f := body.File; f.Bytes != "" || f.URI != "" {
		p.Bytes, p.URL, p.MediaType, p.Name = f.Bytes, f.URI, f.MimeType, f.Name
	}
	if string(body.Data) != "null" {
		p.Data = body.Data
	}
	return nil
}

// textOf is the text of parts, with separator between them.
func textOf(parts []part, separator string) string {
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, separator)
}

// shown are the parts that are no text, as an activity has them: a file as AG-UI's parts are, data as {type: "data",
// data}.
func shown(parts []part) []any {
	var list []any
	for _, p := range parts {
		switch {
		case p.Data != nil:
			list = append(list, map[string]any{"type": "data", "data": p.Data})
		case p.isFile():
			list = append(list, p.file())
		}
	}
	return list
}

func (p *part) file() agui.Part {
	out := agui.Part{Type: agui.PartDocument,
		Source: &agui.Source{Type: agui.SourceURL, Value: p.URL, MimeType: p.MediaType}}
	if p.Bytes != "" {
		out.Source.Type, out.Source.Value = agui.SourceData, p.Bytes
	}
	for _, t := range []agui.PartType{agui.PartImage, agui.PartAudio, agui.PartVideo} {
		if strings.HasPrefix(p.MediaType, string(t)+"/") {
			out.Type = t
		}
	}
	if p.Name != "" {
		if raw, err := json.Marshal(map[string]string{"filename": p.Name}); err == nil {
			out.Metadata = raw
		}
	}
	return out
}

// fromParts converts parts of AG-UI. It reports whether some were lost: files that only a provider has.
func fromParts(parts []agui.Part) (list []part, lost bool) {
	for _, p := range parts {
		if p.Type == agui.PartText {
			list = append(list, part{Text: p.Text})
			continue
		}
		if p.Source == nil || p.Source.Type == agui.SourceFile {
			lost = true
			continue
		}
		var body struct{ Filename string }
		_ = exact.Unmarshal(p.Metadata, &body) // other metadata has no name
		out := part{MediaType: p.Source.MimeType, Name: body.Filename}
		if p.Source.Type == agui.SourceData {
			out.Bytes = p.Source.Value
		} else {
			out.URL = p.Source.Value
		}
		list = append(list, out)
	}
	return list, lost
}
