package agui

import (
	"encoding/json"
	"strings"
)

// Content is what a message or a tool result says: text, a list of parts, or (activity messages only) an
// object. The zero value is no content at all, which differs from empty text.
type Content struct {
	kind  contentKind
	text  string
	parts []Part
	raw   json.RawMessage
}

type contentKind uint8

const (
	contentAbsent contentKind = iota
	contentText
	contentParts
	contentObject
)

// TextContent returns content that is the text s.
func TextContent(s string) Content { return Content{kind: contentText, text: s} }

// PartsContent returns content that is a list of parts, possibly none.
func PartsContent(parts ...Part) Content { return Content{kind: contentParts, parts: parts} }

// ObjectContent returns content that is a JSON object, as an activity message has.
func ObjectContent(object json.RawMessage) Content { return Content{kind: contentObject, raw: object} }

// IsZero reports whether there is no content.
func (c Content) IsZero() bool { return c.kind == contentAbsent }

// IsText reports whether c is text, be it empty.
func (c Content) IsText() bool { return c.kind == contentText }

// Parts returns the parts and true if c is a list of parts. The caller must not change them.
func (c Content) Parts() ([]Part, bool) { return c.parts, c.kind == contentParts }

// Object returns the object and true if c is one.
func (c Content) Object() (json.RawMessage, bool) { return c.raw, c.kind == contentObject }

// Text returns the text of c; of a list of parts, its text parts joined by newlines.
func (c Content) Text() string {
	if c.kind != contentParts {
		return c.text
	}
	var texts []string
	for _, p := range c.parts {
		if p.Type == PartText {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// MarshalJSON writes the content; content that is absent as the empty text.
func (c Content) MarshalJSON() ([]byte, error) {
	switch c.kind {
	case contentParts:
		return List[Part](c.parts).MarshalJSON()
	case contentObject:
		return c.raw, nil
	default:
		return Marshal(c.text)
	}
}

// A PartType says what a content part holds.
type PartType string

// The content parts of AG-UI 1.0.
const (
	PartText     PartType = "text"
	PartImage    PartType = "image"
	PartAudio    PartType = "audio"
	PartVideo    PartType = "video"
	PartDocument PartType = "document"
)

// A Part is one piece of multimodal content: text, or media from a source.
type Part struct {
	Type PartType
	ID   string
	Text string // of a text part
	// Source is where the media of any other part comes from.
	Source *Source
	// Metadata is any JSON value but null.
	Metadata json.RawMessage

	form partForm
}

// MarshalJSON writes the part with the fields its type has.
func (p Part) MarshalJSON() ([]byte, error) {
	if p.form == writtenBinary && p.Source != nil {
		return p.marshalBinary()
	}
	var text *string
	if p.Type == PartText {
		text = &p.Text
	}
	return Marshal(struct {
		Type     PartType        `json:"type"`
		ID       string          `json:"id,omitempty"`
		Text     *string         `json:"text,omitempty"`
		Source   *Source         `json:"source,omitempty"`
		Metadata json.RawMessage `json:"metadata,omitempty"`
	}{p.Type, p.ID, text, p.Source, p.Metadata})
}

// A SourceType says how a media part refers to its bytes.
type SourceType string

// The sources of AG-UI 1.0.
const (
	SourceData SourceType = "data" // base64 in Value
	SourceURL  SourceType = "url"
	SourceFile SourceType = "file" // a provider's handle
)

// A Source says where the bytes of a media part are.
type Source struct {
	Type  SourceType `json:"type"`
	Value string     `json:"value"`
	// MimeType is required of data sources.
	MimeType string `json:"mimeType,omitempty"`
	// Provider names who issued a file handle.
	Provider string `json:"provider,omitempty"`
}

// MarshalJSON writes the source with its required fields, empty ones included.
func (s Source) MarshalJSON() ([]byte, error) {
	type plain Source
	if s.Type != SourceData {
		return Marshal(plain(s))
	}
	return Marshal(struct {
		plain
		MimeType string `json:"mimeType"`
	}{plain(s), s.MimeType})
}
