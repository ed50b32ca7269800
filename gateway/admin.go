package gateway

import (
	"net/http"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

// AdminOptions say what operators see beside /healthz and /readyz.
type AdminOptions struct {
	Metrics http.Handler // GET /metrics; nil: there are none
	// Profiles is everything below /debug/pprof/; nil: there are none. Profiles tell much of a process and cost it something, so they are for
	// addresses that only the machine itself reaches.
	Profiles http.Handler
	// Backup is POST /backup; nil: there is none. It is for addresses that only the machine itself reaches.
	Backup http.Handler
}

// Admin returns a handler for the operators of the gateway: /healthz, /readyz, and what o has. It asks nobody who they are, so it belongs
// on an address of its own, and none of it is on the gateway's.
//
// Requests by a name that is neither this machine's nor one of [Options.Hosts] are refused, because an attacker can have a name point here, and
// so are those that a browser sends for a page. Addresses are answered, and names that only a network of its own has, such as replica-a or
// gateway.team.svc: scrapers ask for those that they have found.
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
