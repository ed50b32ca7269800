package gateway

import (
	"net/http"
	"net/netip"

	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

// hosts say for which hosts requests may be.
func (g *Gateway) hosts() edge.Hosts { return edge.Hosts{Names: g.o.Hosts, Open: g.o.Principal == nil} }

// origins say which pages may call.
func (g *Gateway) origins() edge.Origins { return edge.Origins{Names: g.o.Origins} }

// clientAddress returns the address of the client that has sent r, as far as trusted proxies tell it. It is not valid if the
// connection has none, like one of a Unix socket.
func (g *Gateway) clientAddress(r *http.Request) netip.Addr {
	return edge.Proxies(g.o.TrustedProxies).Client(r)
}
