package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
)

// The page has the root and its files; everything else stays the API's, with JSON errors.
func TestPage(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page of "+r.URL.Path) })
	g, err := New(Options{Agents: map[string]groupchat.Agent{}, Page: page})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	tests := []struct {
		method, path string
		status       int
		body         string // empty: whatever
	}{
		{"GET", "/", 200, "page of /"},
		{"HEAD", "/", 200, ""},
		{"GET", "/assets/app-1.js", 200, "page of /assets/app-1.js"},
		{"GET", "/assets/deep/app-1.js", 200, "page of /assets/deep/app-1.js"},
		{"HEAD", "/assets/app-1.js", 200, ""},
		{"POST", "/", 405, ""},
		{"GET", "/asset", 404, ""},
		{"GET", "/agents", 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, nil))
			if w.Code != tt.status || tt.body != "" && w.Body.String() != tt.body {
				t.Errorf("%s %s = %d %q, want %d %q", tt.method, tt.path, w.Code, w.Body.String(), tt.status, tt.body)
			}
		})
	}
}
