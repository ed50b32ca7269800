package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
)

// Hosts selects the host names that a server answers. An attacker can point a host name at the server, so that the
// browser treats both as one site; such a request names the attacker's host, and is refused.
type Hosts struct {
	// Names are allowed, in lower case and without a port; "*" allows all. If empty, the local address decides.
	Names []string
	// Open means that callers need not authenticate.
	Open bool
	// Internal, without Names, also allows names that cannot be registered publicly, such as those of machines in a
	// private network. An attacker who can assign such a name is in that network.
	Internal bool
}

// Check returns an error with the code misdirected_request if r, unless a probe, is for a host that is not allowed.
func (h Hosts) Check(r *http.Request) error {
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" || h.answers(r) {
		return nil
	}
	return &errcode.Error{Code: errcode.MisdirectedRequest}
}

// Validate returns an error if a name is none that a request can have.
func (h Hosts) Validate() error {
	for _, name := range h.Names {
		wrong := strings.ContainsFunc(name, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z') && !strings.ContainsRune("-._:", r)
		})
		_, err := netip.ParseAddr(name)
		if name != "*" && (wrong || name == "" || name != hostname(name) || err != nil && strings.Contains(name, ":")) {
			return fmt.Errorf("gateway: hosts: %q is not the name of a host in lower case, without a scheme and a port",
				name)
		}
	}
	return nil
}

func (h Hosts) answers(r *http.Request) bool {
	name := hostname(r.Host)
	if slices.Contains(h.Names, name) || slices.Contains(h.Names, "*") {
		return true
	}
	local := localAddress(r)
	switch {
	case local.IsLoopback():
		return Loopback(name)
	case len(h.Names) > 0:
		return false
	case !h.Open || !local.IsValid():
		return true
	default: // an address cannot be made to point elsewhere, and neither can the names of this machine
		_, err := netip.ParseAddr(name)
		return err == nil || Loopback(name) || h.Internal && internal(name)
	}
}

// internal reports whether no public name server has the name, which is in lower case.
func internal(name string) bool {
	if name != "" && !strings.Contains(name, ".") {
		return true
	}
	return strings.HasSuffix(name, ".internal") || strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".svc")
}

// localAddress returns the local address of the connection of r. It is invalid if that is no IP address.
func localAddress(r *http.Request) netip.Addr {
	if tcp, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// hostname returns the name in a Host header, in lower case and without a port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if name, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(name, "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Loopback reports whether a lower-case host name always means this machine. Names below localhost do.
func Loopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}
