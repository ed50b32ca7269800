package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
)

func TestOriginsAllow(t *testing.T) {
	t.Parallel()
	local, exact, all := Origins{}, Origins{Names: []string{"https://app.example", "http://b.example:8080"}}, Origins{Names: []string{"*"}}
	for _, test := range []struct {
		name    string
		origins Origins
		yes, no []string
	}{
		{"this machine's", local,
			[]string{"http://localhost:3000", "https://localhost", "http://app.localhost:3000", "http://127.0.0.1:5173", "http://[::1]:5173"},
			[]string{"", "null", "https://evil.example", "http://localhost.evil.example", "http://evil.example#localhost", "http://localhost/x", "http://user@localhost",
				"HTTP://localhost", "file://", "file://localhost", "ftp://localhost", "localhost", "http://192.0.2.1"}},
		{"exact ones", exact,
			[]string{"https://app.example", "http://b.example:8080"},
			[]string{"", "null", "http://app.example", "https://app.example:444", "https://app.example.evil.example", "https://x.app.example", "http://b.example", "https://APP.example", "http://localhost:3000"}},
		{"all", all, []string{"https://evil.example", "http://localhost"}, []string{"", "null"}},
		{"none", Origins{Names: []string{}}, nil, []string{"http://localhost", "https://evil.example", "null"}},
	} {
		for _, origin := range test.yes {
			if !test.origins.Allow(origin) {
				t.Errorf("%s: %q may not call", test.name, origin)
			}
		}
		for _, origin := range test.no {
			if test.origins.Allow(origin) {
				t.Errorf("%s: %q may call", test.name, origin)
			}
		}
	}
	if !local.Credentials() || !exact.Credentials() || all.Credentials() {
		t.Error("credentials are for exact origins only")
	}
}

// A browser says for which page it asks, in one way or another; other clients say nothing, and are no danger.
func TestOriginsCheck(t *testing.T) {
	t.Parallel()
	origins := Origins{Names: []string{"https://app.example"}}
	for _, test := range []struct {
		name, method, origin, site string
		refused                    bool
	}{
		{"a program", "POST", "", "", false},
		{"the gateway's own page", "POST", "https://gateway.example", "same-origin", false},
		{"the gateway's own page, an old browser", "DELETE", "https://gateway.example", "", false},
		{"a person", "POST", "", "none", false},
		{"a page that may call", "POST", "https://app.example", "cross-site", false},
		{"a page that may call, an old browser", "PATCH", "https://app.example", "", false},
		{"a page", "POST", "https://evil.example", "cross-site", true},
		{"a page, an old browser", "DELETE", "https://evil.example", "", true},
		{"a page of the same site", "POST", "https://other.gateway.example", "same-site", true},
		{"a page without an origin", "POST", "null", "cross-site", true},
		{"a page without an origin, an old browser", "POST", "null", "", true},
		{"a page that leaves its origin out", "PATCH", "", "cross-site", true},
		{"a method of nobody's", "PURGE", "https://evil.example", "cross-site", true},
		{"a page that only reads", "GET", "https://evil.example", "cross-site", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), test.method, "https://gateway.example/threads/t/stop", nil)
			for name, value := range map[string]string{"Origin": test.origin, "Sec-Fetch-Site": test.site} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			err := origins.Check(r)
			if (err != nil) != test.refused || err != nil && errcode.Of(err) != errcode.Forbidden {
				t.Errorf("Check() = %v, want it refused: %t", err, test.refused)
			}
		})
	}
}

// If every page may call, none may use the credentials that a browser adds: requests without a preflight are refused.
func TestOriginsCheckOfJustAnyPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, media, origin string
		refused               bool
	}{
		{"POST", "application/json", "https://any.example", false},
		{"POST", "", "https://any.example", true},
		{"DELETE", "", "https://any.example", false}, // needs a preflight
		{"POST", "application/json", "null", true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "https://gateway.example/threads/t/stop", nil)
		r.Header.Set("Origin", test.origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if test.media != "" {
			r.Header.Set("Content-Type", test.media)
		}
		if err := (Origins{Names: []string{"*"}}).Check(r); (err != nil) != test.refused {
			t.Errorf("%s of %s with the type %q: %v, want it refused: %t", test.method, test.origin, test.media, err, test.refused)
		}
	}
}

func TestWantedHeaders(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"":                                       "",
		"authorization,content-type,x-tenant":    "authorization,content-type,x-tenant",
		"Authorization, X-Api-Key":               "authorization,x-api-key",
		"x-forwarded-for,content-type":           "content-type",
		"X-Forwarded-User, Forwarded":            "",
		"x-real-ip,x-gateway-hops,accept":        "accept",
		"x-gateway-chain,x-gateway-subagents":    "x-gateway-subagents",
		"a b,c\r\nset-cookie: x,d":               "d",
		",,":                                     "",
		strings.Repeat("x,", 64) + "y":           strings.TrimSuffix(strings.Repeat("x,", 64), ","),
		strings.Repeat("x-forwarded-for,", 99):   "",
		http.CanonicalHeaderKey("last-event-id"): "last-event-id",
	} {
		if got := WantedHeaders(asked); got != want {
			t.Errorf("WantedHeaders(%q) = %q, want %q", asked, got, want)
		}
	}
}
