package edge

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// The client's address is the first from the right that is no trusted proxy's: addresses further left may be forged.
func TestClient(t *testing.T) {
	t.Parallel()
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, test := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"no proxy":                         {"192.0.2.1:4000", nil, "192.0.2.1"},
		"a stranger is not believed":       {"192.0.2.1:4000", []string{"198.51.100.7"}, "192.0.2.1"},
		"a proxy":                          {"10.1.1.1:4000", []string{"198.51.100.7"}, "198.51.100.7"},
		"a proxy that says nothing":        {"10.1.1.1:4000", nil, "10.1.1.1"},
		"a proxy that says nothing at all": {"10.1.1.1:4000", []string{""}, "10.1.1.1"},
		"two proxies":                      {"10.1.1.1:4000", []string{"198.51.100.7, 10.2.2.2"}, "198.51.100.7"},
		"two proxies, a line each":         {"10.1.1.1:4000", []string{"198.51.100.7", "10.2.2.2"}, "198.51.100.7"},
		"what a client has invented":       {"10.1.1.1:4000", []string{"10.9.9.9, 203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		"invented on a line before":        {"10.1.1.1:4000", []string{"203.0.113.9", "198.51.100.7,10.2.2.2"}, "198.51.100.7"},
		"only proxies":                     {"10.1.1.1:4000", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3"},
		"a client that is unknown":         {"10.1.1.1:4000", []string{"unknown, 10.2.2.2"}, "10.2.2.2"},
		"no address":                       {"10.1.1.1:4000", []string{"198.51.100.7, evil.example"}, "10.1.1.1"},
		"an empty place":                   {"10.1.1.1:4000", []string{"198.51.100.7,"}, "10.1.1.1"},
		"a port":                           {"10.1.1.1:4000", []string{"198.51.100.7:555"}, "198.51.100.7"},
		"IPv6":                             {"[fd00::1]:4000", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv6 in brackets":                 {"[fd00::1]:4000", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv6 with a port":                 {"[fd00::1]:4000", []string{"[2001:db8::7]:555"}, "2001:db8::7"},
		"IPv6 with a zone":                 {"[fe80::1%eth0]:4000", nil, "fe80::1"},
		"IPv4 in IPv6":                     {"[::ffff:10.1.1.1]:4000", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		"a Unix socket":                    {"@", []string{"198.51.100.7"}, "invalid IP"},
		"nothing":                          {"", nil, "invalid IP"},
		"very many proxies":                {"10.1.1.1:4000", []string{"198.51.100.7" + strings.Repeat(",10.2.2.2", 5000)}, "198.51.100.7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = test.remote
			r.Header["X-Forwarded-For"] = test.forwarded
			if got := proxies.Client(r).String(); got != test.want {
				t.Errorf("Client() = %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzClient wants no text of a header to be followed further than to an address, and none to end the process.
func FuzzClient(f *testing.F) {
	for _, text := range []string{"", ",", "198.51.100.7, 10.2.2.2", "[::1]:1", "[", "::ffff:1.2.3.4%x"} {
		f.Add(text)
	}
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, text string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = "10.1.1.1:80"
		r.Header["X-Forwarded-For"] = []string{text}
		got := proxies.Client(r)
		if !got.IsValid() || got != netip.MustParseAddr("10.1.1.1") && !strings.Contains(text, ".") && !strings.Contains(text, ":") {
			t.Errorf("Client() = %v of %q", got, text)
		}
	})
}
