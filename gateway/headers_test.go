package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// Monitors and link checkers ask with HEAD: it is answered as GET is, without the body.
func TestHEADIsWhereverGETIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	run := w.open("POST", "/agents/slow?disconnect=detach", input("live", "r1", []string{"u1:Hi"}))
	run.until(agui.TypeCustom)
	for _, path := range []string{
		"/", "/healthz", "/readyz", "/openapi.json", "/agents", "/agents/echo/capabilities", "/agents/nobody/capabilities",
		"/threads", "/threads?limit=x", "/threads/t", "/threads/nothing", "/threads/t/events", "/threads/nothing/events",
		"/threads/t/events?protocolVersion=7.0", pages + "/info", pages + "/threads", pages + "/threads/t/messages",
		pages + "/threads/t/state", pages + "/threads/t/events",
	} {
		get := w.request(t.Context(), http.MethodGet, path, "")
		get.Body.Close()
		head := w.request(t.Context(), http.MethodHead, path, "")
		body, err := io.ReadAll(head.Body)
		head.Body.Close()
		if err != nil || len(body) > 0 {
			t.Errorf("HEAD %s has the body %q, %v", path, body, err)
		}
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s = %d %s, want %d %s", path, head.StatusCode, head.Header.Get("Content-Type"),
				get.StatusCode, get.Header.Get("Content-Type"))
		}
	}
	// A stream that would stay open, and be a reader of the run, is neither.
	for _, path := range []string{"/threads/live/events", "/threads/t/events?follow=1"} {
		head := w.request(t.Context(), http.MethodHead, path, "")
		head.Body.Close()
		if got := head.Header.Get("Content-Type"); head.StatusCode != http.StatusOK || got != "text/event-stream" {
			t.Errorf("HEAD %s = %d %s", path, head.StatusCode, got)
		}
	}
	w.release()
	run.rest()
	end := w.request(t.Context(), http.MethodHead, "/threads/live/events", "", "Last-Event-ID", run.cursorID())
	end.Body.Close()
	if end.StatusCode != http.StatusNoContent {
		t.Errorf("HEAD behind the end of an idle thread = %d, want 204", end.StatusCode)
	}
}

// A HEAD does not untie the run that it looks at from the connection it was posted on.
func TestHEADIsNoReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, headIsNoReader)
}

func headIsNoReader(t *testing.T) {
	w := newBubbleWorld(t, quick)
	run := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	run.until(agui.TypeCustom)
	w.request(t.Context(), http.MethodHead, "/threads/t/events", "").Body.Close()
	run.hangUp()
	if d := w.idle("t"); d.newest() != "cancelled" {
		t.Errorf("the run is %s, want it stopped by its hang-up", d.newest())
	}
}

// What a resume is answered by is chosen as RFC 9110 says: by media ranges, in any case, and their qualities.
func TestResumeStreamsForWhoAcceptsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for accept, stream := range map[string]bool{
		"text/event-stream":                               true,
		"Text/Event-Stream":                               true,
		"text/event-stream; charset=utf-8":                true,
		"application/json, text/event-stream":             true,
		"application/json;q=0.5, text/event-stream;q=0.9": true,
		"text/*":                             true,
		"text/event-stream;q=0.5, */*;q=0.1": true,
		"":                                   false,
		"*/*":                                false,
		"application/json":                   false,
		"text/event-stream;q=0":              false,
		"text/event-stream; Q=0.0, */*":      false,
		"text/*, text/event-stream;q=0":      false,
		"application/json, text/event-stream;q=0.5":     false,
		"text/event-streams":                            false,
		`application/json; profile="text/event-stream"`: false,
		"text/html, application/xml;q=0.9, */*;q=0.8":   false,
	} {
		thread := "t" + accept
		question := w.post("ask", input(thread, "r1", []string{"u1:Hi"})).interrupts()[0].ID
		response := w.request(t.Context(), http.MethodPost, "/threads/"+pathOf(thread)+"/resume",
			`{"resume":[{"interruptId":`+quote(question)+`,"status":"resolved","payload":"M"}]}`, "Accept", accept)
		_, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if got := response.Header.Get("Content-Type") == "text/event-stream"; err != nil || got != stream {
			t.Errorf("Accept: %s = %d %s, %v; want a stream: %t", accept, response.StatusCode, response.Header.Get("Content-Type"), err, stream)
		}
	}
}

func pathOf(id string) string {
	return strings.NewReplacer("/", "%2F", "?", "%3F", ";", "%3B", " ", "%20", `"`, "%22").Replace(id)
}

// A body that is announced as too large is refused before it is sent.
func TestABodyThatIsTooLargeIsNotAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Body = 1000 })
	for _, test := range []struct {
		path, length, want string
	}{
		{"/agents/echo", "1001", "HTTP/1.1 413 "},
		{"/agents/echo", "1000", "HTTP/1.1 100 "},
		{"/threads/t/resume", "1001", "HTTP/1.1 404 "}, // whatever is wrong first
		{pages + "/agent/echo/run", "99999999999", "HTTP/1.1 413 "},
		{pages, "1001", "HTTP/1.1 413 "},
	} {
		dialer := net.Dialer{Timeout: patience}
		conn, err := dialer.DialContext(context.Background(), "tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, "POST "+test.path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: "+
			test.length+"\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		conn.Close()
		if err != nil || !strings.HasPrefix(line, test.want) {
			t.Errorf("%s, %s bytes: %q, %v, want %s", test.path, test.length, line, err, test.want)
		}
	}
}

// Times have as many digits everywhere, so that they sort as text.
func TestTimesHaveOneForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.Move(123456789 * time.Nanosecond)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	w.clock.Move(876543211 * time.Nanosecond)
	w.post("echo", input("t", "r2", []string{"u2:Hi"}))
	for _, path := range []string{"/threads", "/threads/t", pages + "/threads"} {
		_, body := w.call(http.MethodGet, path, "")
		times := regexp.MustCompile(`At":"([^"]*)"`).FindAllStringSubmatch(body, -1)
		if len(times) < 2 {
			t.Errorf("%s has the times %v", path, times)
		}
		for _, m := range times {
			if m[1] != "2026-05-01T12:00:00.123Z" && m[1] != "2026-05-01T12:00:01.000Z" {
				t.Errorf("%s has the time %s", path, m[1])
			}
		}
	}
}
