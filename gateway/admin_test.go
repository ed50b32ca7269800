package gateway

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
)

// TestAdmin asks the handler for operators, at addresses where others can reach it and where they cannot.
func TestAdmin(t *testing.T) {
	t.Parallel()
	shown := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "shown") })
	for name, test := range map[string]struct {
		address    string
		hosts      []string
		yes, other []string // hosts
	}{
		"this machine's":               {"127.0.0.1", nil, []string{"localhost:9464", "127.0.0.1", "[::1]:9464"}, []string{"evil.example", "10.0.0.7", ""}},
		"others'":                      {"10.0.0.7", nil, []string{"10.0.0.7:9464", "localhost", "replica-a:9464", "gateway.team.svc:9464"}, []string{"evil.example", "gateway.example"}},
		"others', and names are known": {"10.0.0.7", []string{"gateway.example"}, []string{"10.0.0.7:9464", "gateway.example:9464", "replica-a:9464"}, []string{"evil.example"}},
	} {
		g, err := New(Options{Agents: map[string]groupchat.Agent{"quiet": groupchat.AgentFunc(nil)}, Hosts: test.hosts, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		admin := g.Admin(AdminOptions{Metrics: shown, Profiles: shown})
		ask := func(path, host string, header ...string) int {
			ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(test.address), Port: 9464}))
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
			if r.Host = host; len(header) == 2 {
				r.Header.Set(header[0], header[1])
			}
			answer := httptest.NewRecorder()
			admin.ServeHTTP(answer, r)
			if answer.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: the answer to %s is not hardened", name, path)
			}
			return answer.Code
		}
		for _, path := range []string{"/metrics", "/debug/pprof/heap"} {
			for _, host := range test.yes {
				if got := ask(path, host); got != http.StatusOK {
					t.Errorf("%s: %s for %q = %d", name, path, host, got)
				}
			}
			for _, host := range test.other {
				if got := ask(path, host); got != http.StatusMisdirectedRequest {
					t.Errorf("%s: %s for %q = %d", name, path, host, got)
				}
			}
			for header, value := range map[string]string{"Origin": "null", "Sec-Fetch-Site": "same-site"} {
				if got := ask(path, test.yes[0], header, value); got != http.StatusForbidden {
					t.Errorf("%s: %s with %s: %s = %d", name, path, header, value, got)
				}
			}
		}
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/agents": 404, "/threads": 404, "/": 404} {
			host := test.yes[0]
			if want == http.StatusOK {
				host = "evil.example" // probes ask for whatever they have found
			}
			if got := ask(path, host); got != want {
				t.Errorf("%s: %s = %d, want %d", name, path, got, want)
			}
		}
		without := httptest.NewRecorder()
		g.Admin(AdminOptions{}).ServeHTTP(without, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		if without.Code != http.StatusNotFound {
			t.Errorf("%s: without metrics, GET /metrics = %d", name, without.Code)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}
