package gateway

import (
	"net/http"
	"net/netip"

	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

// clientAddress returns the address of the client that has sent r, as far as trusted proxies tell it. It is not valid if the
// connection has none, like one of a Unix socket.
func (g *Gateway) clientAddress(r *http.Request) netip.Addr {
	return edge.Proxies(g.o.TrustedProxies).Client(r)
}
