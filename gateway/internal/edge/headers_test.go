package edge

import (
	"bufio"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The size of a request's head is that of its bytes on the wire, of HTTP/1.1.
func TestHeaderSize(t *testing.T) {
	t.Parallel()
	const head = "GET /threads?limit=1 HTTP/1.1\r\nHost: localhost:8080\r\nAccept: */*\r\nX-A: b\r\nX-A: cc\r\nX-Empty: \r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got := HeaderSize(r); got != len(head) {
		t.Errorf("HeaderSize() = %d, want %d", got, len(head))
	}
}

// Browsers are asked to use TLS from now on if the connection has it, and the host has a public name.
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
