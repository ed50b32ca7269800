package gateway_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// Whoever is refused is found by the address in the log: the connection's, or what a trusted proxy says of it.
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
			w := newWorld(t, logged(&log), func(o *gateway.Options) {
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
