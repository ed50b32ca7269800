package gateway_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// Whatever is posted, the answer is a stream or the caller's mistake, never the server's.
func FuzzRunInput(f *testing.F) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range txtar.Parse(data).Files {
			if section.Name != "want" && strings.Contains(section.Name, "POST") {
				f.Add(section.Data)
			}
		}
	}
	g, err := gateway.New(gateway.Options{
		Agents: map[string]groupchat.Agent{"ask": groupchat.AgentFunc(asksSize)},
		Legacy: "ask",
		Log:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := g.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/agents/ask", "/subgraphs"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(string(body)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			response := w.Result()
			if response.StatusCode >= http.StatusInternalServerError {
				t.Fatalf("POST %s of %q = %d %s", path, body, response.StatusCode, w.Body)
			}
			if response.StatusCode == http.StatusOK {
				stream := newReader(t, response, func() {}, "")
				stream.rest() // in order, and to its end
				stream.hangUp()
			}
		}
	})
}
