package gateway_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// newHTTP2World is newWorld with HTTP/2 between client and server, in a bubble of synctest.
func newHTTP2World(t *testing.T, change ...func(*gateway.Options)) *world {
	t.Helper()
	l := newPipes()
	way := &http.Transport{
		DialContext: l.dial, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the server is the test's
		HTTP2:           &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10},
	}
	return startWorld(t, way, func(h http.Handler) *httptest.Server {
		s := &httptest.Server{Listener: l, EnableHTTP2: true, Config: &http.Server{Handler: h}} //nolint:gosec // its clients are the test's
		s.StartTLS()
		return s
	}, change...)
}

// A stream of HTTP/2 has a deadline for each write, and none while it is quiet.
func TestHTTP2StreamsMayBeQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHTTP2World(t, func(o *gateway.Options) {
			o.WriteTimeout, o.Heartbeat, o.RunTimeout, o.Now = 30*time.Second, time.Hour, time.Hour, nil
		})
		r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		r.until("CUSTOM")
		time.Sleep(10 * time.Minute)
		w.release()
		r.rest()
		if d := w.thread("t"); d.newest() != "success" {
			t.Errorf("the run is %s", d.newest())
		}
		w.cutShort()
	})
}

// Hanging up is stopping by HTTP/2 too, though the connection stays.
func TestHTTP2HangUpStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHTTP2World(t, quick, func(o *gateway.Options) { o.Now = nil })
		r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		r.until("CUSTOM")
		r.hangUp()
		if d := w.idle("t"); d.newest() != "cancelled" {
			t.Errorf("the run is %s, want it stopped by its hang-up", d.newest())
		}
		w.cutShort()
	})
}

// A reader of HTTP/2 that reads nothing is cut, and its connection stays usable for the others.
func TestHTTP2ReaderThatDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log lockedBuffer
		w := newHTTP2World(t, problemAttrs(&log), func(o *gateway.Options) { o.Now = nil })
		w.post("echo", input("t", "r1", []string{"u1:" + strings.Repeat("x", 1<<20)}))
		deaf := w.request(t.Context(), http.MethodGet, "/threads/t", "")
		time.Sleep(time.Minute)
		if status, _ := w.call(http.MethodGet, "/threads", ""); status != http.StatusOK {
			t.Errorf("another request of the connection = %d", status)
		}
		if _, err := io.Copy(io.Discard, deaf.Body); err == nil {
			t.Error("the reader that was too slow has all of the answer")
		}
		deaf.Body.Close()
		if lines := log.lines(t, "request: cut off"); len(lines) != 1 {
			t.Errorf("the log has %v", lines)
		}
		w.cutShort()
	})
}
