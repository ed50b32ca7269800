package attachment

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// A format describes a known media type.
type format struct {
	// found are the types that content sniffing may give for it. Containers are found as one of several.
	found []string
	// inline means that browsers may show it in a page.
	inline bool
	// holds, if set, checks the bytes instead of found.
	holds func([]byte) bool
}

// The types that containers are found as: sniffing cannot always tell their contents.
var (
	mp4 = []string{"video/mp4", "audio/mp4", "audio/x-m4a", "video/x-m4v", "video/quicktime", "video/3gpp",
		"audio/3gpp"}
	webm = []string{"video/webm", "audio/webm", "video/x-matroska"}
	ogg  = []string{"application/ogg", "audio/ogg", "video/ogg"}
)

// formats are the types that are allowed by default. Text of every kind is allowed too, see [formatOf].
var formats = map[string]format{
	"image/png":  {found: []string{"image/png", "image/vnd.mozilla.apng"}, inline: true},
	"image/jpeg": {found: []string{"image/jpeg"}, inline: true},
	"image/gif":  {found: []string{"image/gif"}, inline: true},
	"image/webp": {found: []string{"image/webp"}, inline: true},
	"image/bmp":  {found: []string{"image/bmp"}, inline: true},
	"image/avif": {found: []string{"image/avif"}, inline: true},
	"image/heic": {found: []string{"image/heic", "image/heif"}},
	"image/heif": {found: []string{"image/heif", "image/heic"}},
	"image/tiff": {found: []string{"image/tiff"}},

	"audio/mpeg": {holds: isMP3, inline: true}, "audio/wav": {found: []string{"audio/wav"}, inline: true},
	"audio/flac": {found: []string{"audio/flac"}, inline: true},
	"audio/aac":  {found: []string{"audio/aac"}, inline: true},
	"audio/mp4":  {found: mp4, inline: true}, "audio/webm": {found: webm, inline: true},
	"audio/ogg": {found: ogg, inline: true},

	"video/mp4": {found: mp4, inline: true}, "video/quicktime": {found: mp4}, "video/webm": {found: webm, inline: true},
	"video/ogg": {found: ogg, inline: true},

	"application/pdf":  {found: []string{"application/pdf"}},
	"application/json": {holds: json.Valid},
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   {holds: isOffice},
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         {holds: isOffice},
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": {holds: isOffice},
}

// aliases are other names of the above.
var aliases = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/apng": "image/png",
	"audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
	"audio/x-flac": "audio/flac", "audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4", "audio/opus": "audio/ogg",
	"audio/x-aac":       "audio/aac",
	"application/x-pdf": "application/pdf",
}

// Type returns the media type that s declares, without parameters and by its usual name; empty if s is none.
func Type(s string) string {
	media, _, err := mime.ParseMediaType(s)
	if err != nil || !strings.Contains(media, "/") {
		return ""
	}
	if name, ok := aliases[media]; ok {
		return name
	}
	return media
}

// ValidType reports whether s is a type of files that can be admitted, as [Type] names it, or a range that has some.
func ValidType(s string) bool {
	switch s {
	case "*/*", "image/*", "audio/*", "video/*", "text/*", "application/*":
		return true
	}
	_, known := formatOf(s)
	return known && Type(s) == s
}

// formatOf returns the format of a type.
func formatOf(media string) (format, bool) {
	if f, ok := formats[media]; ok {
		return f, true
	}
	if strings.HasPrefix(media, "text/") {
		return format{holds: isText}, true
	}
	return format{}, false
}

// matches reports whether data is of the type.
func (f format) matches(data []byte) bool {
	if len(data) == 0 {
		return false
	}
	if f.holds != nil {
		return f.holds(data)
	}
	found := mimetype.Detect(data)
	return slices.ContainsFunc(f.found, found.Is)
}

// isText reports whether data is UTF-8, and holds no character that no text has.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// isMP3 reports whether data is MPEG audio. It may begin with tags that contain pictures longer than the examined part.
func isMP3(data []byte) bool {
	return bytes.HasPrefix(data, []byte("ID3")) || mimetype.Detect(data).Is("audio/mpeg")
}

// isOffice reports whether data is an archive with the list of contents that every Office Open XML document has.
func isOffice(data []byte) bool {
	return bytes.HasPrefix(data, []byte("PK\x03\x04")) && bytes.Contains(data, []byte("[Content_Types].xml"))
}
