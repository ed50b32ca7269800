package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of the trusted proxies.
type Proxies []netip.Prefix

// Client returns the address of the client that sent r: that of the connection, or one from X-Forwarded-For. The header
// is read from the right, because proxies append the address of their peer and values further left may be forged: the
// client is the first address that is no trusted proxy's. It is invalid if the connection has none, as for Unix
// sockets.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := parseAddress(r.RemoteAddr)
	if !p.trusts(client) {
		return client
	}
	for _, line := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for line != "" {
			comma := strings.LastIndexByte(line, ',')
			next := parseAddress(strings.TrimSpace(line[comma+1:]))
			if !next.IsValid() {
				return client // an entry that a trusted proxy did not parse ends the search
			}
			client = next
			if !p.trusts(client) {
				return client
			}
			line = line[:max(comma, 0)]
		}
	}
	return client
}

// trusts reports whether an address is one of a trusted proxy.
func (p Proxies) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// parseAddress reads an address with or without a port. It returns an address that is not valid if there is none.
func parseAddress(text string) netip.Addr {
	if pair, err := netip.ParseAddrPort(text); err == nil {
		return pair.Addr().Unmap().WithZone("")
	}
	bare, bracketed := strings.CutPrefix(text, "[")
	if bracketed {
		bare = strings.TrimSuffix(bare, "]")
	}
	address, err := netip.ParseAddr(bare)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
