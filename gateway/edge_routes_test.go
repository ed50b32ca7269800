package gateway

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/agui-gateway/gateway/groupchat"
)

// tryouts are the routes of a gateway, each with its method and with a path that names somebody.
func tryouts(t *testing.T, g *Gateway) (routes [][2]string) {
	t.Helper()
	places := strings.NewReplacer(":agent", "echo", "{agent}", "echo", ":id", "t", "{thread}", "t", ":patch", "1-1", ":run", "1", ":message", "u1", ":file", "0", "*", "x")
	for _, r := range g.routes.(*echo.Echo).Routes() {
		routes = append(routes, [2]string{r.Method, places.Replace(r.Path)})
	}
	for _, route := range newCopilotkit(g).Routes() {
		method, path, _ := strings.Cut(route, " ")
		routes = append(routes, [2]string{method, places.Replace(path)})
	}
	if len(routes) < 40 {
		t.Fatalf("there are %d routes; this test has lost its way", len(routes))
	}
	return append(routes, [2]string{http.MethodPost, "/nothing"}, [2]string{http.MethodGet, "/nothing"}, [2]string{http.MethodGet, "/threads/x/y"})
}

// newGuarded is a gateway with a page and a Principal function that counts its calls.
func newGuarded(t *testing.T, asked *int) *Gateway {
	t.Helper()
	g, err := New(Options{
		Agents: map[string]groupchat.Agent{"echo": groupchat.AgentFunc(nil)}, Log: slog.New(slog.DiscardHandler),
		Origins: []string{"https://app.example"}, Hosts: []string{"gateway.example"}, Limits: Limits{Rate: -1},
		Page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		Principal: func(*http.Request) (Principal, error) {
			*asked++
			return Principal{ID: "ada"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// send sends a request with the headers, which are name, value, …
func send(t *testing.T, g *Gateway, method, path string, body io.Reader, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://gateway.example"+path, body)
	r.Host = "gateway.example"
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w.Result()
}

// safe reports whether nothing is changed by a method.
func safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
}

// No page of another origin can use a route with side effects through a person's browser: it is refused before
// authentication, and before its body is read.
func TestEveryRouteThatChangesSomethingRefusesForeignPages(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGuarded(t, &asked)
	changing := 0
	for _, route := range tryouts(t, g) {
		method, path := route[0], route[1]
		if safe(method) {
			continue
		}
		changing++
		for _, from := range [][]string{
			{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
			{"Origin", "https://app.gateway.example", "Sec-Fetch-Site", "same-site"},
			{"Origin", "https://evil.example"}, // an old browser
			{"Origin", "null", "Sec-Fetch-Site", "cross-site"},
			{"Origin", "null"},
			{"Sec-Fetch-Site", "cross-site"},
		} {
			asked = 0
			answer := send(t, g, method, path, sealedBody{t}, append(from, "Content-Type", "application/json")...)
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden || asked != 0 || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s of a page with %v = %d, asked %d times", method, path, from, answer.StatusCode, asked)
			}
		}
		for _, from := range [][]string{
			{"Origin", "https://app.example", "Sec-Fetch-Site", "cross-site"},
			{"Origin", "http://gateway.example", "Sec-Fetch-Site", "same-origin"},
			{},
		} {
			answer := send(t, g, method, path, strings.NewReader("{"), append(from, "Content-Type", "application/json")...)
			answer.Body.Close()
			if answer.StatusCode == http.StatusForbidden {
				t.Errorf("%s %s of a page with %v = 403", method, path, from)
			}
		}
	}
	if changing < 15 {
		t.Errorf("%d routes change something; this test has lost its way", changing)
	}
}

// A form, and a script without a preflight, can send text, but no JSON. A new route must be listed here if it accepts
// anything else.
func TestEveryRouteThatChangesSomethingTakesOnlyJSON(t *testing.T) {
	t.Parallel()
	const base = "/api/copilotkit"
	changesNothing := []string{
		base + "/x", base + "/threads/subscribe", base + "/threads/clear", base + "/threads/t/archive", base + "/annotate", base + "/transcribe", "/nothing",
	}
	asked := 0
	g := newGuarded(t, &asked)
	run := `{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
	answer := send(t, g, http.MethodPost, "/agents/echo", strings.NewReader(run), "Content-Type", "application/json")
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK { // there is a thread t, which the routes find
		t.Fatalf("POST /agents/echo = %d", answer.StatusCode)
	}
	for _, route := range tryouts(t, g) {
		method, path := route[0], route[1]
		// No page may send another method than POST without a preflight.
		if method != http.MethodPost || slices.Contains(changesNothing, path) {
			continue
		}
		for _, media := range []string{"text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "text/json", " "} {
			answer := send(t, g, method, path, strings.NewReader(run), "Content-Type", media)
			answer.Body.Close()
			if answer.StatusCode != http.StatusUnsupportedMediaType {
				t.Errorf("%s %s with a body of the type %q = %d, want 415", method, path, media, answer.StatusCode)
			}
		}
	}
}

// A name that an attacker has pointed here gets nothing from any route; probes may use any address.
func TestEveryRouteRefusesForeignHosts(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGuarded(t, &asked)
	for _, route := range append(tryouts(t, g), [2]string{http.MethodOptions, "/threads"}) {
		method, path := route[0], route[1]
		answer := send(t, g, method, path, nil, "Host", "evil.example", "Origin", "https://app.example", "Access-Control-Request-Method", "POST")
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		probe := path == "/healthz" || path == "/readyz"
		if err != nil || (answer.StatusCode == http.StatusMisdirectedRequest) == probe || asked != 0 {
			t.Errorf("%s %s for another host = %d, asked %d times, %v", method, path, answer.StatusCode, asked, err)
		}
		if !probe && !strings.Contains(string(body), `"misdirected_request"`) {
			t.Errorf("%s %s for another host = %s", method, path, body)
		}
		asked = 0
	}
}

// Monitors and link checkers ask with HEAD, and every route that is asked with GET knows it.
func TestEveryRouteWithGETHasHEAD(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGuarded(t, &asked)
	for _, route := range tryouts(t, g) {
		if route[0] != http.MethodGet {
			continue
		}
		get, head := send(t, g, http.MethodGet, route[1], nil), send(t, g, http.MethodHead, route[1], nil)
		get.Body.Close()
		head.Body.Close()
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s = %d %s, GET = %d %s", route[1], head.StatusCode, head.Header.Get("Content-Type"), get.StatusCode, get.Header.Get("Content-Type"))
		}
	}
}

// Whatever is answered, browsers make nothing else of it, and no answer sets a cookie.
func TestEveryAnswerIsHardened(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGuarded(t, &asked)
	page := []string{"/", "/assets/x"}
	for _, route := range tryouts(t, g) {
		method, path := route[0], route[1]
		for _, from := range [][]string{
			{"Origin", "https://app.example"}, {"Origin", "https://evil.example"}, {"Host", "evil.example"}, {"Content-Type", "application/json"},
		} {
			answer := send(t, g, method, path, strings.NewReader("{"), from...)
			answer.Body.Close()
			h := answer.Header
			want := map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
				"Cross-Origin-Resource-Policy": "same-origin", "Set-Cookie": "", "Strict-Transport-Security": "", "Server": "",
			}
			for name, value := range want {
				if h.Get(name) != value {
					t.Errorf("%s %s %v: %s = %q, want %q", method, path, from, name, h.Get(name), value)
				}
			}
			if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s %s %v: Content-Security-Policy = %q", method, path, from, h.Get("Content-Security-Policy"))
			}
			if kept := !strings.HasPrefix(h.Get("Cache-Control"), "no-store"); kept != (answer.StatusCode == http.StatusNoContent && slices.Contains(page, path)) && method != http.MethodOptions {
				t.Errorf("%s %s %v = %d: Cache-Control = %q", method, path, from, answer.StatusCode, h.Get("Cache-Control"))
			}
			if !slices.Contains(h.Values("Vary"), "Origin") && h.Get("X-Request-Id") != "" && from[0] != "Host" {
				t.Errorf("%s %s %v: Vary = %q", method, path, from, h.Values("Vary"))
			}
		}
	}
}
