package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// onePixel is a PNG.
var onePixel = func() string {
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return string(data)
}()

// filed is a part that has data inline.
func filed(kind, media, data string) string {
	return fmt.Sprintf(`{"type":%q,"source":{"type":"data","mimeType":%q,"value":%q}}`, kind, media, base64.StdEncoding.EncodeToString([]byte(data)))
}

// withParts returns a request with the parts in its message u1.
func withParts(thread string, parts ...string) string {
	return `{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":"r","messages":[{"id":"u1","role":"user","content":[` + strings.Join(parts, ",") + `]}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
}

// withFiles returns a request with texts as files in its message.
func withFiles(texts ...string) string {
	parts := make([]string, len(texts))
	for i, text := range texts {
		parts[i] = filed("document", "text/plain", text)
	}
	return withParts("t", parts...)
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	zip := "PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("x", 40)
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	w := newWorld(t, func(o *gateway.Options) { o.Limits.File, o.Limits.Files = 1000, 3 })
	w.post("silent", withParts("other", filed("image", "image/png", onePixel)))
	for _, test := range []struct {
		name, part string
		status     int
		code, says string
	}{
		{"a zip as a picture", filed("image", "image/png", zip), 422, "invalid_attachment", "messages[0].content[0] is not of the type"},
		{"a zip", filed("document", "application/zip", zip), 422, "invalid_attachment", "not allowed"},
		{"SVG", filed("image", "image/svg+xml", svg), 422, "invalid_attachment", "not allowed"},
		{"SVG as a picture", filed("image", "image/png", svg), 422, "invalid_attachment", "not of the type"},
		{"HTML as a picture", filed("image", "image/gif", "<html><script>alert(1)</script>"), 422, "invalid_attachment", "not of the type"},
		{"HTML in an image part", filed("image", "text/html", "<html>"), 422, "invalid_attachment", "none of an image part"},
		{"a script", filed("document", "application/javascript", "alert(1)"), 422, "invalid_attachment", "not allowed"},
		{"text that is not UTF-8", filed("document", "text/plain", "a\xff"), 422, "invalid_attachment", "not of the type"},
		{"nothing", filed("image", "image/png", ""), 422, "invalid_attachment", "not of the type"},
		{"no type", filed("image", "", onePixel), 422, "invalid_attachment", "not allowed"},
		{"base64 that is cut off", strings.Replace(filed("image", "image/png", onePixel), `ggg=="`, `gg"`, 1), 422, "invalid_attachment", "base64"},
		{"no base64", strings.Replace(filed("image", "image/png", onePixel), "iVBOR", "%%%%%", 1), 422, "invalid_attachment", "base64"},
		{"a large file", filed("image", "image/png", onePixel+strings.Repeat("x", 1000)), 413, "too_large", "larger"},
		{"many files", strings.TrimSuffix(strings.Repeat(filed("image", "image/png", onePixel)+",", 1000), ","), 413, "too_large", "content[3]"},
		{"a path", `{"type":"image","source":{"type":"url","value":"file:///etc/passwd"}}`, 422, "invalid_attachment", "https"},
		{"the metadata of a cloud", `{"type":"image","source":{"type":"url","value":"http://169.254.169.254/latest"}}`, 422, "invalid_attachment", "https"},
		{"a file of another thread", `{"type":"image","source":{"type":"url","value":"/threads/other/messages/u1/files/0?agent=silent"}}`, 422, "invalid_attachment", "no file of this thread"},
		{"an older part", `{"type":"binary","mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString([]byte(svg)) + `"}`, 422, "invalid_attachment", "not of the type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/agents/silent", pages + "/agent/silent/run"} {
				status, body := w.call("POST", path, withParts("thread of "+test.name, test.part))
				if status != test.status || !strings.Contains(body, test.code) || !strings.Contains(body, test.says) {
					t.Errorf("%s = %d %s, want %d %s, %q", path, status, body, test.status, test.code, test.says)
				}
				if d := w.thread("thread of " + test.name); d.ID != "" {
					t.Errorf("%s has made a thread", path)
				}
			}
		})
	}
}

func TestFilesAreServedAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	const html = "<html><script>alert(1)</script>"
	quiet := slog.New(slog.DiscardHandler)
	for name, open := range map[string]func(t *testing.T) (state.Store, error){
		"memory": func(*testing.T) (state.Store, error) { return memstore.New(memstore.Options{}), nil },
		"file": func(t *testing.T) (state.Store, error) {
			return filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{Logger: quiet})
		},
		"Redis": func(t *testing.T) (state.Store, error) {
			return redisstore.Open(t.Context(), redistest.Start(t).URL(), redisstore.Options{Logger: quiet})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			w := newWorld(t, byHeader, func(o *gateway.Options) { o.Store = store })
			id := "files/" + name
			body := withParts(id, `{"type":"text","text":"Look"}`, strings.Replace(filed("image", "image/jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00"), `}}`, `},"metadata":{"filename":"../cat.jpg"}}`, 1),
				filed("document", "text/html", html), filed("document", "application/pdf", "%PDF-1.7\n"),
				`{"type":"binary","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString([]byte(onePixel))+`","filename":"dot.png"}`,
				`{"type":"document","source":{"type":"url","value":"data:text/plain;base64,SGk="}}`)
			w.post("silent", body, "X-User", "ada")
			path := "/threads/" + strings.NewReplacer("/", "%2F", " ", "%20").Replace(id) + "/messages/u1/files/"
			for n, want := range []struct{ data, media, disposition string }{
				1: {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "image/jpeg", "inline; filename=cat.jpg"},
				2: {html, "application/octet-stream", "attachment"},
				3: {"%PDF-1.7\n", "application/pdf", "attachment"},
				4: {onePixel, "image/png", "inline; filename=dot.png"},
				5: {"Hi", "text/plain; charset=utf-8", "attachment"},
			} {
				if n == 0 {
					continue
				}
				response := w.request(t.Context(), "GET", fmt.Sprint(path, n), "", "X-User", "ada")
				data, err := io.ReadAll(response.Body)
				response.Body.Close()
				h := response.Header
				if err != nil || response.StatusCode != 200 || string(data) != want.data || h.Get("Content-Type") != want.media || h.Get("Content-Disposition") != want.disposition {
					t.Errorf("file %d = %d %q %v, %v, want %q", n, response.StatusCode, data, h, err, want)
				}
				if h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "private, no-cache" {
					t.Errorf("file %d: headers %v", n, h)
				}
				if status, again := w.call("GET", fmt.Sprint(path, n), "", "X-User", "ada", "If-None-Match", `"x", W/`+h.Get("ETag")); status != http.StatusNotModified || again != "" {
					t.Errorf("file %d again = %d %q, want 304", n, status, again)
				}
				if status, _ := w.call("GET", fmt.Sprint(path, n), "", "X-User", "bob", "If-None-Match", h.Get("ETag")); status != http.StatusNotFound {
					t.Errorf("file %d of another principal = %d, want 404", n, status)
				}
			}
			for _, none := range []string{"0", "6", "-1", "x", "99999999999999999999"} {
				if status, _ := w.call("GET", path+none, "", "X-User", "ada"); status != http.StatusNotFound {
					t.Errorf("file %s = %d, want 404", none, status)
				}
			}
		})
	}
}

// A client that has the thread may say anything about a file that was stored, and nothing changes.
func TestAStoredFileIsNotJudgedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("silent", withParts("t", filed("image", "image/png", onePixel)))
	_, before := w.call("GET", "/threads/t/messages/u1/files/0", "")
	again := strings.Replace(withParts("t", filed("image", "image/png", "something else")), `]}],"tools"`, `]},{"id":"u2","role":"user","content":"And?"}],"tools"`, 1)
	w.post("silent", strings.Replace(again, `"runId":"r"`, `"runId":"r2"`, 1))
	if _, after := w.call("GET", "/threads/t/messages/u1/files/0", ""); after != before || after != onePixel {
		t.Errorf("the file is %q, was %q", after, before)
	}
	var doc struct{ Messages []json.RawMessage }
	if _, body := w.call("GET", "/threads/t", ""); json.Unmarshal([]byte(body), &doc) != nil || len(doc.Messages) != 2 {
		t.Errorf("the thread is %s", body)
	}
}

// A picture in a tool's result is served by the same route, and of a type that it is not as bytes of no type.
func TestFilesOfToolResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["draws"] = groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			data := func(s string) *agui.Source {
				return &agui.Source{Type: agui.SourceData, MimeType: "image/png", Value: base64.StdEncoding.EncodeToString([]byte(s))}
			}
			picture := agui.PartsContent(agui.Part{Type: agui.PartText, Text: "Drawn"}, agui.Part{Type: agui.PartImage, Source: data(onePixel)},
				agui.Part{Type: agui.PartImage, Source: data("<html><script>alert(1)</script>")})
			for _, e := range []agui.Event{
				&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "draw"}, &agui.ToolCallEnd{ToolCallID: "c1"},
				&agui.ToolCallResult{MessageID: "m1", ToolCallID: "c1", Content: picture},
			} {
				if err := turn.Emit(e); err != nil {
					return err
				}
			}
			return nil
		})
	})
	w.post("draws", input("t", "r", []string{"u1:Draw"}))
	for n, want := range map[int][3]string{
		1: {onePixel, "image/png", "inline"}, 2: {"<html><script>alert(1)</script>", "application/octet-stream", "attachment"},
	} {
		response := w.request(t.Context(), "GET", fmt.Sprint("/threads/t/messages/m1/files/", n), "")
		data, err := io.ReadAll(response.Body)
		response.Body.Close()
		if got := [3]string{string(data), response.Header.Get("Content-Type"), response.Header.Get("Content-Disposition")}; err != nil || got != want {
			t.Errorf("file %d = %d %q, %v, want %q", n, response.StatusCode, got, err, want)
		}
	}
	if _, body := w.call("GET", "/threads/t?files=links", ""); !strings.Contains(body, "/threads/t/messages/m1/files/1?agent=draws") || strings.Contains(body, `"type":"data"`) {
		t.Errorf("the thread with links is %s", body)
	}
}
