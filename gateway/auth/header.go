package auth

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

var (
	errNotTheProxy  = errors.New("the request does not come from a proxy that may name its principal")
	errNoUser       = errors.New("the proxy names no principal")
	errSeveralUsers = errors.New("the proxy's header has several values")
)

// maxName is the greatest length of a principal's name in bytes, after the prefix.
const maxName = 512 - len("header:")

// HeaderOptions configures which proxies may name the principal of a request, and how.
type HeaderOptions struct {
	// User is the header with the principal. Required. The proxy must remove it from clients' requests.
	User string
	// Roles is the header that has the roles, with commas between; empty means that principals have none.
	Roles string
	// Proxies are the trusted addresses. At least one is required, and no network may include all addresses.
	Proxies []netip.Prefix
}

// Header identifies principals by a header of an authenticating proxy. It is safe for concurrent use.
type Header struct {
	user, roles string
	proxies     []netip.Prefix
}

// NewHeader checks the options.
func NewHeader(o HeaderOptions) (*Header, error) {
	h := &Header{user: http.CanonicalHeaderKey(o.User), roles: http.CanonicalHeaderKey(o.Roles)}
	switch {
	case o.User == "":
		return nil, errors.New("there is no header that names the principal")
	case !isHeaderName(o.User), o.Roles != "" && !isHeaderName(o.Roles):
		return nil, errors.New("not a header's name")
	case h.user == h.roles:
		return nil, errors.New("one header cannot have both the principal and the roles")
	case len(o.Proxies) == 0:
		return nil, errors.New("no proxy is trusted")
	}
	for _, p := range o.Proxies {
		p, err := unmapped(p)
		if err != nil {
			return nil, err
		}
		h.proxies = append(h.proxies, p)
	}
	return h, nil
}

// unmapped returns p with an IPv4-mapped IPv6 network as IPv4. A network of all addresses is an error.
func unmapped(p netip.Prefix) (netip.Prefix, error) {
	if p.IsValid() && p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	if !p.IsValid() || p.Bits() == 0 {
		return netip.Prefix{}, errors.New("not a network of proxies")
	}
	return p.Masked(), nil
}

// isHeaderName reports whether name is a header that a proxy may set for this purpose: one without another meaning.
func isHeaderName(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Authorization", "Cookie", "Content-Type", "Content-Length", "Connection", "Transfer-Encoding",
		"Origin", "Accept", keyHeader:
		return false
	}
	return httpguts.ValidHeaderFieldName(name)
}

// Principal returns header:VALUE, with the roles of the roles header, if r comes from one of the proxies. Errors have
// the code unauthorized. A header with several values is refused, because a client may have sent one of them.
func (h *Header) Principal(r *http.Request) (gateway.Principal, error) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return gateway.Principal{}, unauthorized(errNotTheProxy)
	}
	addr := peer.Addr().Unmap().WithZone("")
	if !slices.ContainsFunc(h.proxies, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return gateway.Principal{}, unauthorized(errNotTheProxy)
	}
	values := r.Header.Values(h.user)
	switch {
	case len(values) == 0 || values[0] == "":
		return gateway.Principal{}, unauthorized(errNoUser)
	case len(values) > 1 || strings.Contains(values[0], ","):
		return gateway.Principal{}, unauthorized(errSeveralUsers)
	}
	if problem := edge.CheckName(values[0], maxName); problem != "" {
		return gateway.Principal{}, unauthorized(errors.New("the proxy's name of the principal " + problem))
	}
	roles, err := h.rolesOf(r.Header)
	if err != nil {
		return gateway.Principal{}, unauthorized(err)
	}
	return gateway.Principal{ID: "header:" + values[0], Roles: roles}, nil
}

func (h *Header) rolesOf(header http.Header) ([]string, error) {
	if h.roles == "" {
		return nil, nil
	}
	values := header.Values(h.roles)
	if len(values) > 1 {
		return nil, errSeveralUsers
	}
	var roles []string
	for _, value := range values {
		for role := range strings.SplitSeq(value, ",") {
			if role = strings.Trim(role, " \t"); role == "" { // the form of a list in HTTP
				continue
			}
			if problem := edge.CheckName(role, maxRole); problem != "" {
				return nil, errors.New("one of the proxy's roles " + problem)
			}
			roles = append(roles, role)
		}
	}
	return roles, nil
}
