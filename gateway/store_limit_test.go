package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state/memstore"
)

// limitedStore is a store in memory that may take so many bytes.
func limitedStore(limit int64) func(*gateway.Options) {
	return func(o *gateway.Options) { o.Store = memstore.New(memstore.Options{Now: o.Now, Limit: limit}) }
}

// TestAStoreAtItsLimitForgetsTheOldest fills a store without end: the least recently used threads are evicted, a live
// run and an open question stay.
func TestAStoreAtItsLimitForgetsTheOldest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limitedStore(128<<10))
	live := w.open("POST", "/agents/slow?disconnect=detach", input("live", "r", []string{"u1:Hi"}))
	live.until(agui.TypeCustom)
	w.post("ask", input("question", "r", []string{"u1:Hi"})).rest()
	const threads = 100
	for i := range threads {
		w.clock.Move(time.Second)
		w.post("silent", input(fmt.Sprint("t", i), "r", []string{"u1:" + strings.Repeat("x", 2000)})).rest()
	}
	for _, path := range []string{"/threads/t0", "/threads/t0/events"} {
		if status, body := w.call(http.MethodGet, path, ""); status != http.StatusNotFound || !strings.Contains(body, "not_found") {
			t.Errorf("GET %s = %d %s, want 404", path, status, body)
		}
	}
	for _, id := range []string{"live", "question", fmt.Sprint("t", threads-1)} {
		if status, _ := w.call(http.MethodGet, "/threads/"+id, ""); status != http.StatusOK {
			t.Errorf("GET /threads/%s = %d, want 200", id, status)
		}
	}
	if d := w.thread("question"); len(d.Interrupts) != 1 {
		t.Errorf("the question is not open any more: %+v", d)
	}
	w.release()
	live.rest()
	live.finished()
}

// TestAFullStoreRefusesWhatIsNew fills a store with live runs: nothing of them can be evicted, so that nothing new
// begins until one has ended.
func TestAFullStoreRefusesWhatIsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limitedStore(118<<10))
	live := w.open("POST", "/agents/slow?disconnect=detach", input("live", "r", []string{"u1:" + strings.Repeat("x", 100<<10)}))
	live.until(agui.TypeCustom)
	response := w.request(t.Context(), http.MethodPost, "/agents/silent", input("new", "r", []string{"u1:Hi"}))
	response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("a new run = %d with Retry-After %q, want 503 with one", response.StatusCode, response.Header.Get("Retry-After"))
	}
	if got := ended(w, "/agents/silent", input("new", "r", []string{"u1:Hi"}), 0); got != "overloaded" {
		t.Errorf("a new run = %s, want overloaded", got)
	}
	w.release()
	live.rest()
	live.finished()
	if got := ended(w, "/agents/silent", input("new", "r", []string{"u1:Hi"}), 0); got != "ok" {
		t.Errorf("a new run after the end of the live one = %s, want ok", got)
	}
}

// TestAPrincipalsShare uses up a principal's storage: the answer explains the remedy, others are not affected, and
// deleting makes room.
func TestAPrincipalsShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byHeader, func(o *gateway.Options) { o.Limits.StoredPerPrincipal = 64 << 10 })
	large := func(thread string) string { return input(thread, "r", []string{"u1:" + strings.Repeat("x", 40<<10)}) }
	w.post("silent", large("first"), "X-User", "ada")
	refused := func(method, path, body string, header ...string) {
		t.Helper()
		status, answer := w.call(method, path, body, append(header, "X-User", "ada")...)
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, `"too_large"`) || !strings.Contains(answer, "delete some") {
			t.Errorf("%s %s = %d %s, want 413", method, path, status, answer)
		}
	}
	refused(http.MethodPost, "/agents/silent", large("second"))
	refused(http.MethodPost, "/threads/first/fork", `{"messageId":"u1"}`)
	refused(http.MethodPatch, "/threads/first/state", `{"x":"`+strings.Repeat("x", 40<<10)+`"}`, "Content-Type", "application/merge-patch+json")
	if status, answer := w.call(http.MethodPatch, "/threads/first", `{"title":"still mine"}`, "X-User", "ada"); status != http.StatusOK {
		t.Errorf("PATCH /threads/first = %d %s, want 200", status, answer)
	}
	w.post("silent", large("first"), "X-User", "eve").finished()
	if status, _ := w.call(http.MethodDelete, "/threads/first", "", "X-User", "ada"); status != http.StatusNoContent {
		t.Errorf("DELETE /threads/first = %d, want 204", status)
	}
	w.post("silent", large("second"), "X-User", "ada").finished()
}
