package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// busy gives ada threads of every kind: several ended ones, one with a question and a notice of it for the webhook, and
// a live one with another request waiting. All of this data contains the word zanzibar.
func (w *world) busy(user string) (live *reader) {
	w.t.Helper()
	const threads = 5
	for i := range threads {
		w.post("silent", input(fmt.Sprint("zanzibar-", i), "zanzibar-run", []string{"zanzibar-u1:a trip to zanzibar"}, `"state":{"to":"zanzibar"}`), "X-User", user)
	}
	w.post("ask", input("zanzibar-asks", "zanzibar-run", []string{"zanzibar-u2:a trip to zanzibar"}), "X-User", user)
	live = w.open("POST", "/agents/slow-queue?disconnect=detach", input("zanzibar-live", "zanzibar-run", []string{"zanzibar-u3:a trip to zanzibar"}), "X-User", user)
	live.until(agui.TypeTextMessageContent)
	return live
}

// withHook sets a webhook that takes nothing, so that its notices wait in the store.
func withHook(t *testing.T) func(*gateway.Options) {
	t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(hook.Close)
	return func(o *gateway.Options) {
		o.Webhook = gateway.WebhookOptions{URL: hook.URL, Secret: "s", Retry: time.Hour}
	}
}

// onStore uses a store, and the clock of the machine.
func onStore(store state.Store) func(*gateway.Options) {
	return func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.NewID, o.Log = store, true, nil, nil, slog.New(slog.DiscardHandler)
	}
}

// deletesAda makes ada and eve busy, has ada delete everything, and checks that ada has nothing and eve everything.
func deletesAda(t *testing.T, a, b *world) {
	t.Helper()
	live := a.busy("zanzibar-ada")
	eves := strings.ReplaceAll(input("t", "r", []string{"u1:a trip to berlin"}), "zanzibar", "")
	a.post("silent", eves, "X-User", "eve")
	for range 2 { // it is safe to repeat
		if status, body := b.call(http.MethodDelete, "/me", "", "X-User", "zanzibar-ada"); status != http.StatusNoContent {
			t.Fatalf("DELETE /me = %d %s, want 204", status, body)
		}
	}
	live.rest()
	switch end := live.last().(type) { // a reader that is behind gets the loss of the log
	case *agui.RunFinished:
		if end.Outcome.Type != agui.OutcomeCancelled {
			t.Errorf("the live run ended with %s, want cancelled", end.Outcome.Type)
		}
	case *agui.RunError:
		if end.Code != "cancelled" && end.Code != "run_lost" {
			t.Errorf("the live run ended with %s, want cancelled or run_lost", end.Code)
		}
	}
	for _, w := range []*world{a, b} {
		if _, body := w.call(http.MethodGet, "/threads", "", "X-User", "zanzibar-ada"); !strings.Contains(body, `"threads":[]`) {
			t.Errorf("GET /threads = %s, want none", body)
		}
		if status, _ := w.call(http.MethodGet, "/threads/t", "", "X-User", "eve"); status != http.StatusOK {
			t.Errorf("eve's thread = %d, want 200", status)
		}
	}
}

// TestDeleteMeLeavesNothing searches all bytes of a store for the deleted data.
func TestDeleteMeLeavesNothing(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		store := memstore.New(memstore.Options{})
		w := newWorld(t, byHeader, withHook(t), onStore(store))
		deletesAda(t, w, w)
		for _, principal := range []string{"zanzibar-ada", ".webhook"} {
			if page, err := store.List(t.Context(), state.Query{Principal: principal}); err != nil || len(page.Threads) > 0 {
				t.Errorf("List(%s) = %+v, %v, want none", principal, page, err)
			}
		}
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "threads.db")
		open := func() state.Store {
			store, err := filestore.Open(path, filestore.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
		store := open()
		t.Run("while it is served", func(t *testing.T) {
			w := newWorld(t, byHeader, withHook(t), onStore(store))
			deletesAda(t, w, w)
		})
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		store = open() // what makes the file new
		if page, err := store.List(t.Context(), state.Query{Principal: "eve"}); err != nil || len(page.Threads) != 1 {
			t.Errorf("eve has %+v, %v, want a thread", page, err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(files) != 2 || files[1].Name() != filepath.Base(path)+".reserve" {
			t.Fatalf("the directory has %v, %v, want the file and its reserve", files, err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(raw, []byte("zanzibar")); at >= 0 {
			t.Errorf("the file has %q", raw[max(0, at-40):min(at+80, len(raw))])
		}
		if !bytes.Contains(raw, []byte("berlin")) {
			t.Error("the file has nothing of eve's either")
		}
	})
	t.Run("two replicas on Redis", func(t *testing.T) {
		t.Parallel()
		server := redistest.Start(t, "--rdbcompression", "no")
		a, b := twins(t, server.URL(), byHeader, withHook(t))
		deletesAda(t, a, b)
		client := server.Client()
		found := func() string {
			keys, err := client.Keys(t.Context(), "*").Result()
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				value, err := client.Dump(t.Context(), key).Result() // all of it, whatever its type
				if err != nil && !errors.Is(err, redis.Nil) {
					t.Fatal(err)
				}
				if strings.Contains(key+value, "zanzibar") {
					return fmt.Sprintf("%s = %q", key, value)
				}
			}
			return ""
		}
		if left := found(); left != "" {
			t.Errorf("the Redis has %s", left)
		}
	})
}

// TestExport checks that an export has each thread as GET /threads/{id} shows it, between its first and its last line,
// and no one else's.
func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byHeader)
	w.post("silent", input("t", "r", []string{"u1:a trip to berlin"}), "X-User", "eve")
	live := w.busy("ada")
	response := w.request(t.Context(), http.MethodGet, "/me/export", "", "X-User", "ada")
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("Content-Type = %s", got)
	}
	var lines []json.RawMessage
	for in := json.NewDecoder(response.Body); in.More(); {
		var line json.RawMessage
		if err := in.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	const threads = 7
	if len(lines) != threads+2 {
		t.Fatalf("there are %d lines, want %d", len(lines), threads+2)
	}
	var head struct {
		Principal  string
		ExportedAt time.Time
		Format     int
	}
	if err := json.Unmarshal(lines[0], &head); err != nil || head.Principal != "ada" || head.ExportedAt.IsZero() || head.Format != 1 {
		t.Errorf("the first line is %s, %v", lines[0], err)
	}
	if last := string(lines[threads+1]); last != `{"threads":7}` {
		t.Errorf("the last line is %s", last)
	}
	for _, line := range lines[1 : threads+1] {
		var doc struct{ ID, Agent string }
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		_, shown := w.call(http.MethodGet, "/threads/"+doc.ID, "", "X-User", "ada")
		if strings.TrimSpace(shown) != string(line) {
			t.Errorf("%s is exported as\n%s\nand shown as\n%s", doc.ID, line, shown)
		}
	}
	w.release()
	live.rest()
}
