package agui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// partBinary is the one kind of media that clients before 0.0.47 knew. It is read as one of the later kinds, as newer
// clients read it, and written only for those clients, which refuse every other kind.
const partBinary PartType = "binary"

// A partForm says whether a part is one of clients before 0.0.47.
type partForm uint8

const (
	readBinary    partForm = iota + 1 // it came as one
	writtenBinary                     // it is to be written as one
)

// WasBinary reports whether the part was read as the kind of media that clients before 0.0.47 send.
func (p Part) WasBinary() bool { return p.form == readBinary }

// Binary returns the part as one that is written for such clients. Text stays text.
func (p Part) Binary() Part {
	if p.Type != PartText {
		p.form = writtenBinary
	}
	return p
}

// Equal reports whether two parts say the same, in whatever form each came or is to be written.
func (p Part) Equal(other Part) bool {
	if (p.Source == nil) != (other.Source == nil) || p.Source != nil && *p.Source != *other.Source {
		return false
	}
	return p.Type == other.Type && p.ID == other.ID && p.Text == other.Text && bytes.Equal(p.Metadata, other.Metadata)
}

// filenameOf is what such a part has beside its source.
type filenameOf struct {
	Filename string `json:"filename,omitempty"`
}

// marshalBinary writes the part for such clients.
func (p Part) marshalBinary() ([]byte, error) {
	out := struct {
		Type     PartType `json:"type"`
		MimeType string   `json:"mimeType"`
		ID       string   `json:"id,omitempty"`
		URL      string   `json:"url,omitempty"`
		Data     string   `json:"data,omitempty"`
		filenameOf
	}{Type: partBinary, MimeType: p.Source.MimeType}
	switch p.Source.Type {
	case SourceData:
		out.Data = p.Source.Value
	case SourceURL:
		out.URL = p.Source.Value
	default:
		out.ID = p.Source.Value
	}
	_ = json.Unmarshal(p.Metadata, &out.filenameOf) // metadata of another shape has no name
	return Marshal(out)
}

// readOlder reads a part of clients before 0.0.47: its bytes are in data, at url, or in a provider's store under id.
func (p *Part) readOlder(r *decoder, raw json.RawMessage) error {
	var f struct {
		Type     string `json:"type"`
		ID       string `json:"id,omitempty" null:"absent"`
		MimeType string `json:"mimeType"`
		URL      string `json:"url,omitempty" null:"absent"`
		Data     string `json:"data,omitempty" null:"absent"`
		Filename string `json:"filename,omitempty" null:"absent"`
	}
	if err := r.structure(raw, &f); err != nil {
		return err
	}
	source := Source{Type: SourceFile, Value: f.ID, MimeType: f.MimeType}
	switch {
	case f.Data != "":
		source.Type, source.Value = SourceData, f.Data
	case f.URL != "":
		source.Type, source.Value = SourceURL, f.URL
	case f.ID == "":
		return r.fail("", "must have an id, a url or data")
	}
	*p = Part{Type: PartOfMedia(f.MimeType), Source: &source, form: readBinary}
	if f.Filename != "" {
		name, err := Marshal(filenameOf{f.Filename})
		if err != nil {
			return err
		}
		p.Metadata = name
	}
	return nil
}

// PartOfMedia returns the kind of part for media of a MIME type: a document, if it is neither image, sound nor video.
func PartOfMedia(media string) PartType {
	family, _, _ := strings.Cut(strings.ToLower(media), "/")
	kinds := map[string]PartType{"image": PartImage, "audio": PartAudio, "video": PartVideo}
	return cmp.Or(kinds[family], PartDocument)
}
