package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// noise is a PNG of about n bytes that compresses to no less.
func noise(n int) string {
	random := rand.NewChaCha8([32]byte{})
	data := make([]byte, n)
	_, _ = random.Read(data)
	return onePixel + string(data)
}

// A reader that asks for links is sent a file's address and not its bytes, everywhere in the conversation. A client
// that sends the link back has the same file, and so has one that edits the message.
func TestLinksInPlaceOfFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	picture := noise(128 << 10)
	w.post("edits", withParts("t", filed("image", "image/png", picture)))
	const link = `{"type":"image","source":{"type":"url","value":"/threads/t/messages/u1/files/0?agent=edits","mimeType":"image/png"}}`
	for _, test := range []struct {
		path   string
		header []string
	}{
		{"/threads/t?files=links", nil}, {"/threads/t", []string{"X-Gateway-Files", "links"}},
		{"/threads/t/events?files=links", nil}, {"/threads/t/events", []string{"X-Gateway-Files", "links"}},
	} {
		status, body := w.call("GET", test.path, "", test.header...)
		if status != 200 || len(body) > 4000 || !strings.Contains(body, link) {
			t.Errorf("%s %v = %d, %d bytes, want the link: %.1000s", test.path, test.header, status, len(body), body)
		}
	}
	if _, body := w.call("GET", "/threads/t", ""); len(body) < len(picture) {
		t.Errorf("without a word the thread has %d bytes, want the file in it", len(body))
	}
	if status, _ := w.call("GET", "/threads/t?files=none", ""); status != 400 {
		t.Errorf("files=none = %d, want 400", status)
	}

	next := func(run, message, more string) string {
		return strings.NewReplacer(`"runId":"r"`, `"runId":"`+run+`"`, `"id":"u1"`, `"id":"`+message+`"`, `],"tools"`, more+`],"tools"`).Replace(withParts("t", link))
	}
	again := w.open("POST", "/agents/edits?files=links", next("r2", "u1", `,{"id":"u2","role":"user","content":"And?"}`))
	again.rest()
	for _, e := range again.events {
		if raw, err := agui.Encode(e); err != nil || len(raw) > 4000 {
			t.Errorf("%s has %d bytes, %v", agui.TypeOf(e), len(raw), err)
		}
	}
	if _, body := w.call("GET", "/threads/t/messages/u1/files/0", ""); body != picture {
		t.Errorf("the file has %d bytes after its link came back, want %d", len(body), len(picture))
	}
	w.post("edits", next("r3", "u3", ""), "X-Gateway-Files", "links")
	if _, body := w.call("GET", "/threads/t/messages/u3/files/0", ""); body != picture {
		t.Errorf("the file of the edited message has %d bytes, want %d", len(body), len(picture))
	}
}

// The traffic of a picture: once for the upload, and for a reader without links once in each run; a reader with links
// has no more, for any length of the thread.
func TestWhatAPictureCosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	picture := noise(256 << 10)
	body := withParts("t", filed("image", "image/png", picture))
	encoded := base64.StdEncoding.EncodedLen(len(picture))
	sent := func(path, body string) int {
		_, stream := w.call("POST", path, body)
		return len(stream)
	}
	if n := sent("/agents/echo", body); n > encoded+8000 {
		t.Errorf("the client that sent the picture is sent %d bytes, want it once: in the snapshot of messages that ends the run", n)
	}
	link := `{"type":"image","source":{"type":"url","value":"/threads/t/messages/u1/files/0?agent=echo","mimeType":"image/png"}}`
	var messages []json.RawMessage
	for i, run := range []string{"r2", "r3", "r4", "r5"} {
		var doc struct{ Messages []json.RawMessage }
		_, shown := w.call("GET", "/threads/t?files=links", "")
		if err := json.Unmarshal([]byte(shown), &doc); err != nil {
			t.Fatal(err)
		}
		messages = append(doc.Messages, json.RawMessage(`{"id":"more`+run+`","role":"user","content":"More"}`))
		list, err := json.Marshal(messages)
		if err != nil {
			t.Fatal(err)
		}
		request := `{"protocolVersion":"1.0","threadId":"t","runId":"` + run + `","messages":` + string(list) + `,"tools":[],"context":[]}`
		if !strings.Contains(request, link) || len(request) > 4000 {
			t.Fatalf("request %d has %d bytes", i, len(request))
		}
		if n := sent("/agents/echo?files=links", request); n > 8000 {
			t.Errorf("answer %d has %d bytes", i, n)
		}
	}
}
