package edge

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
)

// at returns a request for a host on a connection to an address; without an address the connection is none of IP.
func at(t *testing.T, address, host, path string) *http.Request {
	t.Helper()
	ctx := t.Context()
	if address != "" {
		ctx = context.WithValue(ctx, http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(address), Port: 80}))
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	r.Host = host
	return r
}

// TestHosts has a table for each address to listen on: a host that is not allowed may be an attacker's name that points
// here.
func TestHosts(t *testing.T) {
	t.Parallel()
	named := []string{"gateway.example", "2001:db8::1"}
	for name, test := range map[string]struct {
		address    string
		hosts      Hosts
		yes, other []string
	}{
		"a loopback address": {
			"127.0.0.1", Hosts{Open: true},
			[]string{"localhost", "localhost:8080", "LOCALHOST", "localhost.", "app.localhost:1", "127.0.0.1", "127.0.0.1:8080", "127.9.9.9", "[::1]", "[::1]:8080", "[::ffff:127.0.0.1]:80"},
			[]string{"", "evil.example", "evil.example:8080", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example", "192.0.2.1", "0.0.0.0", "127.1", "2130706433", "[::]", "localhost:80:80", "gateway.example"},
		},
		"a loopback address, and everybody has to prove who they are": {
			"::1", Hosts{}, []string{"localhost", "[::1]:8080"}, []string{"evil.example", "192.0.2.1"},
		},
		"a loopback address with names": {
			"127.0.0.1", Hosts{Names: named, Open: true},
			[]string{"localhost", "127.0.0.1:8080", "gateway.example", "GATEWAY.example.:443", "[2001:db8::1]:443"},
			[]string{"evil.example", "x.gateway.example", "gateway.example.evil.example", "192.0.2.1", ""},
		},
		"an address that others reach": {
			"192.0.2.1", Hosts{Open: true},
			[]string{"192.0.2.1", "192.0.2.1:8080", "[2001:db8::1]:80", "198.51.100.7", "localhost:8080"},
			[]string{"evil.example", "evil.example:8080", "", "192.0.2.1.evil.example"},
		},
		"an address that others reach, for those of its network": {
			"192.0.2.1", Hosts{Open: true, Internal: true},
			[]string{"192.0.2.1:9464", "localhost", "replica-a:9464", "gateway.team.svc", "gateway.team.svc.cluster.local:9464", "one.internal"},
			[]string{"evil.example", "replica-a.evil.example", "svc.example", "evil.localx", "", "."},
		},
		"a loopback address, for those of its network": {
			"127.0.0.1", Hosts{Open: true, Internal: true}, []string{"localhost"}, []string{"replica-a", "evil.local", "gateway.team.svc"},
		},
		"an address that others reach, and everybody has to prove who they are": {
			"192.0.2.1", Hosts{}, []string{"192.0.2.1", "gateway.example", "any.example:80"}, nil,
		},
		"an address that others reach with names": {
			"192.0.2.1", Hosts{Names: named}, []string{"gateway.example:8080"}, []string{"evil.example", "192.0.2.1", "localhost", ""},
		},
		"every name": {
			"127.0.0.1", Hosts{Names: []string{"*"}, Open: true}, []string{"evil.example", "localhost", ""}, nil,
		},
		"no network": {
			"", Hosts{Open: true}, []string{"evil.example", "localhost"}, nil,
		},
		"no network, with names": {
			"", Hosts{Names: named, Open: true}, []string{"gateway.example"}, []string{"evil.example", "localhost"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, host := range test.yes {
				if err := test.hosts.Check(at(t, test.address, host, "/agents")); err != nil {
					t.Errorf("%q is refused: %v", host, err)
				}
			}
			for _, host := range test.other {
				if err := test.hosts.Check(at(t, test.address, host, "/agents")); errcode.Of(err) != errcode.MisdirectedRequest {
					t.Errorf("%q is answered, or refused with %v", host, err)
				}
				for _, path := range []string{"/healthz", "/readyz"} {
					if err := test.hosts.Check(at(t, test.address, host, path)); err != nil {
						t.Errorf("a probe of %s for %q is refused: %v", path, host, err)
					}
				}
			}
		})
	}
}

// Names that can match nothing are an error, and do not lock everyone out.
func TestHostsValidate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gateway.example", "localhost", "192.0.2.1", "2001:db8::1", "*", "a_b.example"} {
		if err := (Hosts{Names: []string{name}}).Validate(); err != nil {
			t.Errorf("Validate(%q) = %v", name, err)
		}
	}
	for _, name := range []string{"", "Gateway.example", "gateway.example:443", "[2001:db8::1]", "https://gateway.example", "gateway.example/x", "*.example", "a b", "gateway.example."} {
		if err := (Hosts{Names: []string{"localhost", name}}).Validate(); err == nil {
			t.Errorf("Validate(%q) = nil", name)
		}
	}
}
