package openai

import (
	"cmp"
	"encoding/base64"
	"mime"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

type wirePart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *wireImage `json:"image_url,omitempty"`
	Audio    *wireAudio `json:"input_audio,omitempty"`
	File     *wireFile  `json:"file,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

type wireAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type wireFile struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data,omitempty"`
	ID   string `json:"file_id,omitempty"`
}

// wireParts puts parts into the API's forms. A file id is valid for one provider only, so files of other providers
// become notes.
func wireParts(parts []agui.Part, provider string) []wirePart {
	wire := make([]wirePart, 0, len(parts))
	for _, p := range parts {
		if p.Type == agui.PartText {
			if p.Text != "" { // some servers refuse empty text
				wire = append(wire, wirePart{Type: "text", Text: p.Text})
			}
			continue
		}
		if p.Source != nil {
			wire = append(wire, wireMedia(p.Type, *p.Source, provider))
		}
	}
	if len(wire) == 0 {
		wire = append(wire, wirePart{Type: "text", Text: "(empty message)"})
	}
	return wire
}

func wireMedia(kind agui.PartType, s agui.Source, provider string) wirePart {
	media := mediaType(s.MimeType)
	link := strings.HasPrefix(s.Value, "https://") || strings.HasPrefix(s.Value, "http://")
	switch {
	case s.Type == agui.SourceFile && (s.Provider == "" || strings.EqualFold(s.Provider, provider)):
		return wirePart{Type: "file", File: &wireFile{ID: s.Value}}
	case s.Type == agui.SourceURL && kind == agui.PartImage && link:
		return wirePart{Type: "image_url", ImageURL: &wireImage{s.Value}}
	case s.Type == agui.SourceURL && link:
		return wirePart{Type: "text", Text: "[" + string(kind) + ": " + s.Value + "]"}
	case s.Type == agui.SourceData && kind == agui.PartImage:
		return wirePart{Type: "image_url", ImageURL: &wireImage{dataURL(cmp.Or(media, "image/png"), s.Value)}}
	case s.Type == agui.SourceData && kind == agui.PartAudio && audioFormats[media] != "":
		return wirePart{Type: "input_audio", Audio: &wireAudio{Data: s.Value, Format: audioFormats[media]}}
	case s.Type == agui.SourceData && kind == agui.PartDocument:
		return wireDocument(media, s.Value)
	default:
		return wirePart{Type: "text",
			Text: "[" + strings.TrimSpace(string(kind)+" "+media) + ", which cannot be shown here]"}
	}
}

// audioFormats are the two kinds of sound the API takes.
var audioFormats = map[string]string{
	"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/vnd.wave": "wav",
	"audio/mpeg": "mp3", "audio/mp3": "mp3",
}

// wireDocument is a document as text if it is text, because every model can read that, else as a file.
func wireDocument(media, data string) wirePart {
	if strings.HasPrefix(media, "text/") || media == "application/json" {
		if text, err := base64.StdEncoding.DecodeString(data); err == nil && len(text) > 0 {
			return wirePart{Type: "text", Text: string(text)}
		}
	}
	name := "document"
	if media == "application/pdf" {
		name += ".pdf"
	}
	return wirePart{Type: "file",
		File: &wireFile{Name: name, Data: dataURL(cmp.Or(media, "application/octet-stream"), data)}}
}

func dataURL(media, data string) string { return "data:" + media + ";base64," + data }

// mediaType is the media type without its parameters; empty if s is none. It comes from clients and becomes a part of a
// URL.
func mediaType(s string) string {
	media, _, err := mime.ParseMediaType(s)
	if err != nil || !strings.Contains(media, "/") {
		return ""
	}
	return media
}
