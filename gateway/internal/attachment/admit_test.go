package attachment_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
)

// heads are first bytes by which types are known.
var heads = map[string]string{
	"image/png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/jpeg": "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "image/gif": "GIF89a\x01\x00\x01\x00",
	"image/webp": "RIFF\x1a\x00\x00\x00WEBPVP8L", "audio/mpeg": "ID3\x03\x00\x00\x00\x00\x00\x00", "audio/wav": "RIFF\x24\x00\x00\x00WAVEfmt ",
	"video/mp4": "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "audio/ogg": "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00", "application/pdf": "%PDF-1.7\n",
	"video/webm": "\x1a\x45\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x1f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm",
	"text/plain": "Hello, Zürich.",
}

func message(p agui.Part) agui.Message {
	return agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "Look"}, p)}
}

func inline(kind agui.PartType, media string, data []byte) agui.Part {
	return agui.Part{Type: kind, Source: &agui.Source{Type: agui.SourceData, MimeType: media, Value: base64.StdEncoding.EncodeToString(data)}}
}

func kindOf(media string) agui.PartType {
	family, _, _ := strings.Cut(media, "/")
	if family == "text" || family == "application" {
		return agui.PartDocument
	}
	return agui.PartType(family)
}

// Admitted files are served byte by byte, and never as something that a browser runs.
func TestWhatIsAdmittedIsServed(t *testing.T) {
	t.Parallel()
	var medias []string
	for media := range heads {
		medias = append(medias, media)
	}
	rapid.Check(t, func(t *rapid.T) {
		media := rapid.SampledFrom(append(medias, "text/html", "image/svg+xml", "application/zip")).Draw(t, "declared")
		data := append([]byte(heads[rapid.SampledFrom(medias).Draw(t, "is")]), rapid.SliceOf(rapid.Byte()).Draw(t, "rest")...)
		if rapid.Bool().Draw(t, "script") {
			data = append([]byte("<html><script>alert(1)</script>"), data...)
		}
		sent := inline(rapid.SampledFrom([]agui.PartType{agui.PartImage, agui.PartAudio, agui.PartVideo, agui.PartDocument}).Draw(t, "kind"), media, data)
		m, err := attachment.Limits{}.Admit(message(sent), nil)
		parts := []agui.Part{{}, sent}
		if err == nil {
			parts, _ = m.Content.Parts()
		}
		file, ok := attachment.Open(parts[1])
		if !ok || !bytes.Equal(file.Data, data) {
			t.Fatalf("Open() = %v, %q, want %q", ok, file.Data, data)
		}
		if strings.Contains(file.Type, "html") || strings.Contains(file.Type, "xml") || strings.Contains(file.Type, "script") {
			t.Errorf("served as %s", file.Type)
		}
		if bytes.HasPrefix(data, []byte("<html>")) && file.Inline {
			t.Errorf("a page is shown as %s", file.Type)
		}
	})
}

func TestTypesThatAreKnown(t *testing.T) {
	t.Parallel()
	for media, head := range heads {
		data := append([]byte(head), bytes.Repeat([]byte("x"), 64)...)
		if _, err := (attachment.Limits{}).Admit(message(inline(kindOf(media), media, data)), nil); err != nil {
			t.Errorf("%s: %v", media, err)
		}
		for other, head := range heads {
			if other == media || media == "text/plain" {
				continue
			}
			if _, err := (attachment.Limits{}).Admit(message(inline(kindOf(media), media, append([]byte(head), "xxxx"...))), nil); err == nil {
				t.Errorf("%s is admitted as %s", other, media)
			}
		}
	}
}

func TestTypesOfAnAgent(t *testing.T) {
	t.Parallel()
	png, pdf := inline(agui.PartImage, "image/png", []byte(heads["image/png"])), inline(agui.PartDocument, "application/pdf", []byte(heads["application/pdf"]))
	for _, test := range []struct {
		name   string
		limits attachment.Limits
		part   agui.Part
		want   string
	}{
		{"all", attachment.Limits{}, png, ""},
		{"a range", attachment.Limits{Types: []string{"image/*"}}, png, ""},
		{"another range", attachment.Limits{Types: []string{"image/*"}}, pdf, "content[1] has a type that this agent does not take"},
		{"a type", attachment.Limits{Types: []string{"image/*", "application/pdf"}}, pdf, ""},
		{"none", attachment.Limits{Count: -1}, png, "content[1] is a file, and this agent takes none"},
	} {
		_, err := test.limits.Admit(message(test.part), nil)
		if got := errorText(err); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSourcesThatAreElsewhere(t *testing.T) {
	t.Parallel()
	stored := agui.Source{Type: agui.SourceData, MimeType: "image/png", Value: base64.StdEncoding.EncodeToString([]byte(heads["image/png"]))}
	link := func(u *url.URL) (agui.Source, bool) { return stored, u.Path == "/threads/t/messages/u1/files/1" }
	for value, want := range map[string]string{
		"https://pictures.example/cat.png":                "",
		"http://127.0.0.1:8000/cat.png":                   "content[1] has a URL of this machine or of a private network",
		"http://localhost/cat.png":                        "content[1] has a URL of this machine or of a private network",
		"https://169.254.169.254/latest/meta-data":        "content[1] has a URL of this machine or of a private network",
		"https://10.0.0.1/x":                              "content[1] has a URL of this machine or of a private network",
		"https://[::ffff:10.0.0.1]/x":                     "content[1] has a URL of this machine or of a private network",
		"http://pictures.example/cat.png":                 "content[1] has a URL that is not https",
		"https://user:word@pictures.example/":             "content[1] has a URL that is not https",
		"file:///etc/passwd":                              "content[1] has a URL that is not https",
		"javascript:alert(1)":                             "content[1] has a URL that is not https",
		"//pictures.example/cat.png":                      "content[1] has a URL that is not https",
		"/threads/t/messages/u1/files/1?agent=a":          "",
		"/threads/hers/messages/u1/files/1":               "content[1] is a link to no file of this thread",
		"data:image/png;base64," + stored.Value:           "",
		"data:image/png,abc":                              "content[1] is a data: URL without base64",
		"data:image/svg+xml;base64,PHN2Zy8+":              "content[1] has a type that is not allowed",
		"https://a.example/" + strings.Repeat("x", 8<<10): "content[1] has a URL that is none",
	} {
		m, err := attachment.Limits{}.Admit(message(agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: value}}), link)
		if got := errorText(err); got != want {
			t.Errorf("%.60s: %q, want %q", value, got, want)
		}
		if parts, _ := m.Content.Parts(); want == "" && !strings.HasPrefix(value, "http") && *parts[1].Source != stored {
			t.Errorf("%.60s is stored as %v", value, *parts[1].Source)
		}
	}
}

func TestAddressesThatAreAllowed(t *testing.T) {
	t.Parallel()
	limits := attachment.Limits{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}}
	for value, want := range map[string]string{
		"http://127.0.0.1:8000/cat.png": "", "http://localhost/cat.png": "", "https://10.0.0.1/x": "",
		"https://192.168.0.1/x": "content[1] has a URL of this machine or of a private network",
	} {
		_, err := limits.Admit(message(agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: value}}), nil)
		if got := errorText(err); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	part := inline(agui.PartDocument, "text/plain", []byte("1234567"))
	if _, err := (attachment.Limits{Size: 7}).Admit(message(part), nil); err != nil {
		t.Error(err)
	}
	if _, err := (attachment.Limits{Size: 6}).Admit(message(part), nil); !errors.Is(err, attachment.ErrTooLarge) {
		t.Errorf("Admit() = %v, want ErrTooLarge", err)
	}
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"filename":"cat.png"}`: `inline; filename=cat.png`, `{"filename":"../../etc/passwd"}`: `inline; filename=passwd`,
		`{"filename":"a\r\nX: y.png"}`: `inline; filename="aX: y.png"`, `{"filename":"Zürich.png"}`: `inline; filename*=utf-8''Z%C3%BCrich.png`,
		`{"filename":".."}`: "inline", `{}`: "inline", `{"filename":7}`: "inline", `{"filename":"C:\\x\\cat.png"}`: "inline; filename=cat.png",
	} {
		p := inline(agui.PartImage, "image/png", []byte(heads["image/png"]))
		p.Metadata = []byte(given)
		file, ok := attachment.Open(p)
		if got := file.Disposition(); !ok || got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}
