package gateway

import (
	"net/http"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

// AdminOptions selects what [Gateway.Admin] serves beside /healthz and /readyz.
type AdminOptions struct {
	Metrics http.Handler // GET /metrics; nil: there are none
	// Profiles serves /debug/pprof/; nil disables it. Serve profiles, which expose internals, on loopback only.
	Profiles http.Handler
	// Backup is POST /backup; nil: there is none. It is for addresses that only the machine itself reaches.
	Backup http.Handler
}

// Admin returns a handler for operators: /healthz, /readyz, and the parts that o selects. It does not authenticate
// callers, so serve it on a separate address; the gateway's address has none of it.
//
// It refuses requests for a host name that is neither local nor in [Options.Hosts], because an attacker can point a
// name here, and requests that a browser sends for a page. IP addresses and names that exist only inside a network,
// such as replica-a or gateway.team.svc, are allowed: scrapers use those that they discover.
func (g *Gateway) Admin(o AdminOptions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", g)
	mux.Handle("GET /readyz", g)
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Metrics)
	}
	if o.Profiles != nil {
		mux.Handle("GET /debug/pprof/", o.Profiles)
	}
	if o.Backup != nil {
		mux.Handle("POST /backup", o.Backup)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edge.Harden(w.Header(), r)
		if err := g.checkAdmin(r); err != nil {
			g.answerError(w, r, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// checkAdmin returns an error for requests that no operator sends.
func (g *Gateway) checkAdmin(r *http.Request) error {
	err := edge.Hosts{Open: true, Internal: true}.Check(r)
	if err != nil && len(g.o.Hosts) > 0 {
		err = edge.Hosts{Names: g.o.Hosts, Open: true}.Check(r)
	}
	if err != nil {
		return err
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin" {
		return &errcode.Error{Code: errcode.Forbidden, Text: "Pages may not read this."}
	}
	return nil
}
