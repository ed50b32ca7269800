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

// TestAStoreAtItsLimitForgetsTheOldest goes on and on: what was used longest ago is like what never was, a live run and an open question
// stay.
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

// TestAFullStoreRefusesWhatIsNew fills a store with live runs: nothing of them can go, so that nothing new begins until one has ended.
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
