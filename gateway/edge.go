package gateway

import (
	"net/http"
	"net/netip"

	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

func (g *Gateway) hosts() edge.Hosts { return edge.Hosts{Names: g.o.Hosts, Open: g.o.Principal == nil} }

func (g *Gateway) origins() edge.Origins { return edge.Origins{Names: g.o.Origins} }

// clientAddress returns the client's address, as reported by trusted proxies. It is invalid for Unix sockets.
func (g *Gateway) clientAddress(r *http.Request) netip.Addr {
	return edge.Proxies(g.o.TrustedProxies).Client(r)
}
