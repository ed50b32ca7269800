package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// healthz is GET /healthz: the process is alive.
func (g *Gateway) healthz(w http.ResponseWriter, _ *http.Request) error {
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz is GET /readyz: new runs can be served.
func (g *Gateway) readyz(w http.ResponseWriter, r *http.Request) error {
	if g.draining() {
		return &agui.Error{Code: agui.CodeDraining}
	}
	if err := g.ping(r.Context()); err != nil {
		return &agui.Error{Code: agui.CodeStoreUnavailable, Err: err}
	}
	answer(w, http.StatusOK, map[string]string{"status": "ready"})
	return nil
}

// ping asks the store whether it is there.
func (g *Gateway) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return g.store.Ping(ctx)
}

// pingTimeout is how long a store may take to answer and still count as there.
const pingTimeout = time.Second

// home is the page and its files; without one, GET / says what there is.
func (g *Gateway) home(w http.ResponseWriter, r *http.Request) error {
	if g.o.Page != nil {
		g.o.Page.ServeHTTP(w, r)
		return nil
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte("AG-UI gateway\n\nPOST /agents/{agent} runs an agent; GET /agents lists them; " +
		"GET /openapi.json describes every route.\n"))
	return err
}
