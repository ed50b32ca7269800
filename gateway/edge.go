package gateway

import (
	"net/http"
	"net/netip"
	"slices"

	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

func (g *Gateway) hosts() edge.Hosts { return edge.Hosts{Names: g.o.Hosts, Open: g.o.Principal == nil} }

func (g *Gateway) origins() edge.Origins { return edge.Origins{Names: g.o.Origins} }

// maxNotedOrigins limits the refused origins that the log names.
const maxNotedOrigins = 100

// logOrigin logs once that pages of the origin of r may not call: a browser shows its user only that CORS failed.
func (g *Gateway) logOrigin(r *http.Request) {
	origin := route.Shorten(g.origins().Refused(r))
	if origin == "" {
		return
	}
	g.mu.Lock()
	isNew := len(g.notedOrigins) < maxNotedOrigins && !slices.Contains(g.notedOrigins, origin)
	if isNew {
		g.notedOrigins = append(g.notedOrigins, origin)
	}
	g.mu.Unlock()
	if isNew {
		g.log(r).Warn("request: pages of this origin may not call; -cors-origins (GATEWAY_CORS_ORIGINS, or "+
			"Options.Origins) can allow any origin but null", "origin", origin)
	}
}

// clientAddress returns the client's address, as reported by trusted proxies. It is invalid for Unix sockets.
func (g *Gateway) clientAddress(r *http.Request) netip.Addr {
	return edge.Proxies(g.o.TrustedProxies).Client(r)
}
