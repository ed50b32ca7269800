package openai

import (
	"cmp"
	"encoding/base64"
	"mime"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/agui-gateway/gateway/agui"
)

// A chatPart is a part of a message. go-openai has none for sounds and files.
type chatPart struct {
	goopenai.ChatMessagePart
	Audio *wireAudio `json:"input_audio,omitempty"`
	File  *wireFile  `json:"file,omitempty"`
}

func textPart(text string) chatPart {
	return chatPart{ChatMessagePart: goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeText, Text: text}}
}

func imagePart(address string) chatPart {
	return chatPart{ChatMessagePart: goopenai.ChatMessagePart{
		Type: goopenai.ChatMessagePartTypeImageURL, ImageURL: &goopenai.ChatMessageImageURL{URL: address}}}
}

func filePart(file wireFile) chatPart {
	return chatPart{ChatMessagePart: goopenai.ChatMessagePart{Type: "file"}, File: &file}
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

// chatParts puts parts into the API's forms. A file id is valid for one provider only, so files of other providers
// become notes.
func chatParts(parts []agui.Part, provider string) []chatPart {
	wire := make([]chatPart, 0, len(parts))
	for _, p := range parts {
		if p.Type == agui.PartText {
			if p.Text != "" { // some servers refuse empty text
				wire = append(wire, textPart(p.Text))
			}
			continue
		}
		if p.Source != nil {
			wire = append(wire, wireMedia(p.Type, *p.Source, provider))
		}
	}
	if len(wire) == 0 {
		wire = append(wire, textPart("(empty message)"))
	}
	return wire
}

func wireMedia(kind agui.PartType, s agui.Source, provider string) chatPart {
	media := mediaType(s.MimeType)
	link := strings.HasPrefix(s.Value, "https://") || strings.HasPrefix(s.Value, "http://")
	switch {
	case s.Type == agui.SourceFile && (s.Provider == "" || strings.EqualFold(s.Provider, provider)):
		return filePart(wireFile{ID: s.Value})
	case s.Type == agui.SourceURL && kind == agui.PartImage && link:
		return imagePart(s.Value)
	case s.Type == agui.SourceURL && link:
		return textPart("[" + string(kind) + ": " + s.Value + "]")
	case s.Type == agui.SourceData && kind == agui.PartImage:
		return imagePart(dataURL(cmp.Or(media, "image/png"), s.Value))
	case s.Type == agui.SourceData && kind == agui.PartAudio && audioFormats[media] != "":
		return chatPart{ChatMessagePart: goopenai.ChatMessagePart{Type: "input_audio"},
			Audio: &wireAudio{Data: s.Value, Format: audioFormats[media]}}
	case s.Type == agui.SourceData && kind == agui.PartDocument:
		return wireDocument(media, s.Value)
	default:
		return textPart("[" + strings.TrimSpace(string(kind)+" "+media) + ", which cannot be shown here]")
	}
}

// audioFormats are the two kinds of sound the API takes.
var audioFormats = map[string]string{
	"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/vnd.wave": "wav",
	"audio/mpeg": "mp3", "audio/mp3": "mp3",
}

// wireDocument is a document as text if it is text, because every model can read that, else as a file.
func wireDocument(media, data string) chatPart {
	if strings.HasPrefix(media, "text/") || media == "application/json" {
		if text, err := base64.StdEncoding.DecodeString(data); err == nil && len(text) > 0 {
			return textPart(string(text))
		}
	}
	name := "document"
	if media == "application/pdf" {
		name += ".pdf"
	}
	return filePart(wireFile{Name: name, Data: dataURL(cmp.Or(media, "application/octet-stream"), data)})
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
