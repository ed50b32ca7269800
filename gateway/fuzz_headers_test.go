package gateway_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// Any content of the headers that handlers read, and of the query of a listing, is accepted or refused: no failure of
// the server, and no long error.
func FuzzHeaders(f *testing.F) {
	for _, value := range []string{
		"", "x", "1-1", "0-0", "99999999999999999999-1", "text/event-stream;q=0.5, */*;q=0.1", `"a"`, `W/"a", *`, `"patch-1"`, "wait=0, respond-async", "16", "on", "application/merge-patch+json; charset=utf-8",
		"limit=1&cursor=%00&status=idle", "gzip, identity", "\xff", "http://127.0.0.1:1", "a;b=c,d=\"e", "203.0.113.9, [::1]:80",
	} {
		f.Add(value, value)
	}
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"ask": groupchat.AgentFunc(asksSize)}, Legacy: "ask", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := g.Close(); err != nil {
			f.Error(err)
		}
	})
	send := func(t *testing.T, method, path, body string, header http.Header) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Host, r.Header = "127.0.0.1", header
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusLoopDetected || w.Code >= 400 && w.Body.Len() > errorRoom {
			t.Fatalf("%s %s with %q = %d, %d bytes: %.300s", method, path, header, w.Code, w.Body.Len(), w.Body)
		}
	}
	f.Fuzz(func(t *testing.T, value, other string) {
		json := http.Header{"Content-Type": {"application/json"}}
		send(t, http.MethodPost, "/agents/ask", input("t", "r", []string{"u1:Hi"}), json)
		for _, name := range []string{"Last-Event-Id", "Accept", "Origin", "X-Request-Id", "X-Gateway-Subagents", "Accept-Encoding", "X-Forwarded-For"} {
			send(t, http.MethodGet, "/threads/t/events", "", http.Header{name: {value, other}})
		}
		for _, name := range []string{"If-Match", "Idempotency-Key", "Prefer", "Content-Encoding"} {
			send(t, http.MethodPatch, "/threads/t/state", `{"a":1}`, http.Header{"Content-Type": {"application/merge-patch+json"}, name: {value}})
			send(t, http.MethodPatch, "/threads/t/state", `{"a":1}`, http.Header{"Content-Type": {"application/merge-patch+json"}, name: {value, other}})
		}
		for _, name := range []string{"Accept", "X-Gateway-Hops", "X-Gateway-Chain", "Content-Type"} {
			header := json.Clone()
			header[name] = []string{value, other}
			send(t, http.MethodPost, "/threads/t/resume", `{"resume":[]}`, header)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/threads", nil)
		r.Host, r.URL.RawQuery = "127.0.0.1", value
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code >= 400 && w.Body.Len() > errorRoom {
			t.Fatalf("GET /threads?%s = %d, %d bytes", value, w.Code, w.Body.Len())
		}
	})
}
