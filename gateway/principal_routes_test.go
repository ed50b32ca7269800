package gateway

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/agui-gateway/gateway/groupchat"
)

// sealedBody is a body that must not be read.
type sealedBody struct{ t *testing.T }

func (b sealedBody) Read([]byte) (int, error) {
	b.t.Error("the body is read")
	return 0, errors.New("unread")
}

// A new route must be listed here if it is public. All others authenticate once, before they read the body: a request
// without a principal is answered with 401, even if it has other errors.
func TestEveryRouteButThoseOfNobodyAsksForThePrincipal(t *testing.T) {
	t.Parallel()
	nobodys := []string{"/", "/assets/*", "/healthz", "/readyz", "/openapi.json"}
	asked, known := 0, false
	g, err := New(Options{
		Agents: map[string]groupchat.Agent{"echo": groupchat.AgentFunc(nil)}, Page: http.NotFoundHandler(), Limits: Limits{Body: 1, Rate: -1},
		Log: slog.New(slog.DiscardHandler),
		Principal: func(*http.Request) (Principal, error) {
			asked++
			if !known {
				return Principal{}, errors.New("nobody")
			}
			return Principal{ID: "ada"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var routes []string
	for _, r := range g.routes.(*echo.Echo).Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	if n := len(routes); n < 30 {
		t.Fatalf("there are %d routes; this test has lost its way", n)
	}
	seen := map[string]bool{}
	for _, route := range append(routes, newCopilotkit(g).Routes()...) {
		method, path, _ := strings.Cut(route, " ")
		public := slices.Contains(nobodys, path) || method == http.MethodOptions
		seen[path] = true
		url := strings.NewReplacer(":agent", "echo", "{agent}", "echo", ":id", "t", "{thread}", "t", ":patch", "1-1", ":run", "1", "*", "x").Replace(path)
		ask := func(body io.Reader) int {
			asked = 0
			r := httptest.NewRequestWithContext(t.Context(), method, url, body)
			r.ContentLength = 1 << 20
			r.Header.Set("Content-Type", "text/plain")
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			want := 1
			if public {
				want = 0
			}
			if asked != want {
				t.Errorf("%s asks for the principal %d times, want %d", route, asked, want)
			}
			return w.Code
		}
		known = false
		if status := ask(sealedBody{t}); (status == http.StatusUnauthorized) == public {
			t.Errorf("%s without a principal = %d", route, status)
		}
		known = true
		if status := ask(strings.NewReader("{")); status == http.StatusUnauthorized {
			t.Errorf("%s with a principal = %d", route, status)
		}
	}
	for _, path := range nobodys {
		if !seen[path] {
			t.Errorf("%s is no route", path)
		}
	}
	for _, path := range []string{"/nothing", "/threads/t/nothing"} { // no route says anything about anybody
		asked = 0
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound || asked > 0 {
			t.Errorf("GET %s = %d, asked %d times", path, w.Code, asked)
		}
	}
}

// deadlineRecorder is a response of a connection with deadlines.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	reads int // deadlines that were set
}

func (d *deadlineRecorder) SetReadDeadline(time.Time) error {
	d.reads++
	return nil
}

// net/http waits for the rest of an unread body before it sends the response: a refused client does not decide how
// long.
func TestARefusedRequestsBodyHasADeadline(t *testing.T) {
	t.Parallel()
	g, err := New(Options{
		Agents: map[string]groupchat.Agent{}, Log: slog.New(slog.DiscardHandler),
		Principal: func(*http.Request) (Principal, error) { return Principal{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for path, status := range map[string]int{"/subgraphs": http.StatusUnauthorized, "/nothing": http.StatusNotFound} {
		w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, sealedBody{t}))
		if w.Code != status || w.reads == 0 {
			t.Errorf("POST %s = %d, with %d deadlines of its body", path, w.Code, w.reads)
		}
	}
}
