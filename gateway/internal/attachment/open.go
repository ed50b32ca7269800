package attachment

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"mime"
	"path"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A File is a file in the form for serving.
type File struct {
	Data []byte
	// Type is a type that browsers do not execute. Inline means that it may be shown in a page.
	Type   string
	Inline bool
	Name   string // suggested name for saving it; may be empty
	Tag    string // differs for different bytes and types
}

// unknownType is the type of bytes without any known type.
const unknownType = "application/octet-stream"

// Open returns the file that is in a part; ok is false if none is, because the part is text or its file is elsewhere.
func Open(p agui.Part) (f File, ok bool) {
	if p.Source == nil || p.Source.Type != agui.SourceData {
		return f, false
	}
	data, err := base64.StdEncoding.DecodeString(p.Source.Value)
	if err != nil {
		return f, false
	}
	f = File{Data: data, Type: unknownType, Name: nameOf(p.Metadata)}
	media := Type(p.Source.MimeType)
	known, is := formatOf(media)
	switch {
	case !is || !known.matches(data):
	case known.inline, media == "application/pdf":
		f.Type, f.Inline = media, known.inline
	case media == "text/plain", media == "text/markdown", media == "text/csv":
		f.Type = "text/plain; charset=utf-8"
	}
	sum := sha256.Sum256(append([]byte(f.Type+"\x00"), data...))
	f.Tag = hex.EncodeToString(sum[:16])
	return f, true
}

// Disposition is the Content-Disposition of the file.
func (f File) Disposition() string {
	way := "attachment"
	if f.Inline {
		way = "inline"
	}
	if f.Name == "" {
		return way
	}
	return mime.FormatMediaType(way, map[string]string{"filename": f.Name})
}

// nameOf is the file's name in a part's metadata, without the folders before it.
func nameOf(metadata json.RawMessage) string {
	var m struct {
		Filename string `json:"filename"`
	}
	if exact.Unmarshal(metadata, &m) != nil {
		return ""
	}
	const most = 200
	name := path.Base(strings.ReplaceAll(m.Filename, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return clip.Bytes(name, most)
}
