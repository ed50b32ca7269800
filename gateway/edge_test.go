package gateway_test

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// A page that may call can read every answer: errors before a stream, streams, and unknown routes. Another page can
// read none, and no cache mixes the two up.
func TestPagesThatMayCallReadEveryAnswer(t *testing.T) {
	t.Parallel()
	const origin = "https://app.example"
	w := newWorld(t, func(o *gateway.Options) {
		o.Origins = []string{origin}
		o.Principal = func(r *http.Request) (gateway.Principal, error) {
			return gateway.Principal{ID: r.Header.Get("X-User")}, nil
		}
	})
	w.post("echo", input("t", "r1", []string{"u1:Hi"}), "X-User", "ada")
	for name, ask := range map[string]struct {
		method, path, body, token string
		status                    int
	}{
		"a stream":             {"POST", "/agents/echo", input("t", "r2", []string{"u2:Hi"}), "ada", 200},
		"a reader":             {"GET", "/threads/t/events", "", "ada", 200},
		"CopilotKit's":         {"GET", pages + "/info", "", "ada", 200},
		"nothing":              {"GET", "/nothing", "", "ada", 404},
		"another's thread":     {"GET", "/threads/t", "", "bob", 404},
		"no principal":         {"GET", "/threads", "", "", 401},
		"a body that is wrong": {"POST", "/agents/echo", "{", "ada", 400},
		"another method":       {"GET", "/agents/echo", "", "ada", 405},
	} {
		for _, from := range []string{origin, "https://evil.example", "null"} {
			if from != origin && ask.method != http.MethodGet {
				continue // it is refused
			}
			answer := w.request(t.Context(), ask.method, ask.path, ask.body, "Origin", from, "X-User", ask.token)
			answer.Body.Close()
			h := answer.Header
			want := map[string]string{"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Access-Control-Expose-Headers": "X-Request-Id,Retry-After,ETag,Location"}
			for key, value := range want {
				if from != origin {
					value = ""
				}
				if h.Get(key) != value {
					t.Errorf("%s for %s: %s = %q, want %q", name, from, key, h.Get(key), value)
				}
			}
			if answer.StatusCode != ask.status || !slices.Contains(h.Values("Vary"), "Origin") {
				t.Errorf("%s for %s = %d, Vary %q", name, from, answer.StatusCode, h.Values("Vary"))
			}
		}
	}
}

// A preflight allows the existing methods and the headers that pages may set, and browsers may cache it.
func TestPreflights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Origins = []string{"https://app.example"} })
	answer := w.request(t.Context(), "OPTIONS", "/threads/t", "", "Origin", "https://app.example", "Access-Control-Request-Method", "DELETE",
		"Access-Control-Request-Headers", "authorization,x-forwarded-for,x-tenant")
	answer.Body.Close()
	for key, want := range map[string]string{
		"Access-Control-Allow-Methods": "GET,HEAD,POST,PATCH,DELETE", "Access-Control-Allow-Headers": "authorization,x-tenant", "Access-Control-Max-Age": "600",
	} {
		if got := answer.Header.Get(key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	if vary := strings.Join(answer.Header.Values("Vary"), ","); vary != "Origin,Access-Control-Request-Method,Access-Control-Request-Headers" {
		t.Errorf("Vary = %q", vary)
	}
}

// An attacker's name that points to this machine gets nothing, even if the browser treats the attacker's page as one of
// ours.
func TestRebinding(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hosts  []string
		host   string
		status int
	}{
		"this machine's":      {nil, "localhost:8080", 200},
		"an attacker's":       {nil, "evil.example:8080", 421},
		"one that is named":   {[]string{"gateway.example"}, "gateway.example", 200},
		"one that is another": {[]string{"gateway.example"}, "evil.example", 421},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *gateway.Options) { o.Hosts = test.hosts })
			for path, status := range map[string]int{"/threads": test.status, "/": test.status, "/healthz": 200, "/readyz": 200} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Host = test.host
				r.Header.Set("Origin", "http://"+test.host)
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				answer, err := w.client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != status {
					t.Errorf("GET %s for %s = %d, want %d", path, test.host, answer.StatusCode, status)
				}
			}
		})
	}
	if _, err := gateway.New(gateway.Options{Hosts: []string{"https://gateway.example"}}); err == nil {
		t.Error("a host that is a URL is no mistake")
	}
}

// A form of another site needs no leave to be sent, but it cannot send JSON.
func TestAFormStopsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open("POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	r.until("CUSTOM")
	for _, path := range []string{"/threads/t/stop", pages + "/agent/slow/stop/t"} {
		if status, body := w.call("POST", path, "{}", "Content-Type", "text/plain"); status != http.StatusUnsupportedMediaType {
			t.Errorf("POST %s as text = %d %s", path, status, body)
		}
		if status, body := w.call("POST", path, "", "Content-Type", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
			t.Errorf("POST %s of another site = %d %s", path, status, body)
		}
	}
	if d := w.thread("t"); d.Status != "running" {
		t.Errorf("the run is %s", d.Status)
	}
	if status, body := w.call("POST", "/threads/t/stop", "", "Content-Type", ""); status != http.StatusOK || !strings.Contains(body, "true") {
		t.Errorf("a stop without a body = %d %s", status, body)
	}
}

// The log has the address of refused clients: the connection's, or one reported by a trusted proxy.
func TestTheLogHasTheAddressOfWhoIsRefused(t *testing.T) {
	t.Parallel()
	const client = "198.51.100.7"
	for name, test := range map[string]struct {
		proxies []netip.Prefix
		want    string
	}{
		"no proxies":                 {nil, "127.0.0.1"},
		"a proxy":                    {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, client},
		"proxies that are elsewhere": {[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) {
				o.TrustedProxies = test.proxies
				o.Principal = func(r *http.Request) (gateway.Principal, error) {
					return gateway.Principal{ID: r.Header.Get("X-User")}, nil
				}
			})
			w.post("echo", input("t", "r1", []string{"u1:Hi"}), "X-User", "ada")
			for _, request := range []struct{ method, path, body string }{
				{http.MethodGet, "/nothing", ""},
				{http.MethodPost, "/agents/echo", "{"},
				{http.MethodGet, pages + "/nothing", ""},
				{http.MethodPatch, "/threads/t/state", `[{"op":"remove","path":"/nothing"}]`},
			} {
				for _, user := range []string{"ada", ""} {
					w.call(request.method, request.path, request.body, "X-User", user, "X-Forwarded-For", "203.0.113.9, "+client,
						"Content-Type", map[bool]string{true: "application/json-patch+json", false: "application/json"}[strings.HasSuffix(request.path, "/state")])
				}
			}
			lines := log.lines(t, "request: refused")
			if len(lines) != 8 {
				t.Errorf("%d requests were refused, want 8", len(lines))
			}
			for _, line := range lines {
				if line["address"] != test.want || line["method"] == nil || line["path"] == nil {
					t.Errorf("the log has %v, want the address %s", line, test.want)
				}
			}
		})
	}
}
