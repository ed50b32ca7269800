package edge

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Browsers are told to use TLS from now on where the connection has it, and the host is one that has a name of its own.
func TestHardenAsksForTLS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		host string
		tls  bool
		want string
	}{
		{"gateway.example", true, "max-age=31536000"},
		{"gateway.example:8443", true, "max-age=31536000"},
		{"gateway.example", false, ""},
		{"localhost:8443", true, ""},
		{"app.localhost", true, ""},
		{"192.0.2.1:8443", true, ""},
		{"[2001:db8::1]", true, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host, r.TLS = test.host, nil
		if test.tls {
			r.TLS = &tls.ConnectionState{}
		}
		h := http.Header{}
		Harden(h, r)
		if got := h.Get("Strict-Transport-Security"); got != test.want {
			t.Errorf("%s, TLS %t: Strict-Transport-Security = %q, want %q", test.host, test.tls, got, test.want)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers = %v", test.host, h)
		}
	}
}
