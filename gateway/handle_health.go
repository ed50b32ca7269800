package gateway

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// healthz is GET /healthz: the process is alive.
func (g *Gateway) healthz(w http.ResponseWriter, _ *http.Request) error {
	route.Answer(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz serves GET /readyz, which is 200 if new runs can be served. Probes are frequent, so only changes are logged.
func (g *Gateway) readyz(w http.ResponseWriter, r *http.Request) error {
	err := g.ready(r.Context())
	if r.Context().Err() != nil {
		return err // the prober did not wait; the server may be fine
	}
	g.readiness.log(g.o.Log, err)
	if err != nil {
		g.writeError(w, r, err)
		return nil
	}
	route.Answer(w, http.StatusOK, map[string]string{"status": "ready"})
	return nil
}

// ready returns why new runs cannot be served, nil if they can.
func (g *Gateway) ready(ctx context.Context) error {
	if g.leaving.Load() || g.draining() {
		return &errcode.Error{Code: errcode.Draining}
	}
	switch err := g.ping(ctx); {
	case errors.Is(err, state.ErrLater):
		return &errcode.Error{Code: errcode.StoreTooNew, Err: err}
	case err != nil:
		return &errcode.Error{Code: errcode.StoreUnavailable, Err: err}
	}
	return nil
}

// A readiness is the last logged state. The zero value is a ready server without a log line.
type readiness struct {
	mu   sync.Mutex
	code errcode.Code // why not; empty: it is ready
}

// log writes a line if err, the reason why the server is not ready, differs from the last one.
func (r *readiness) log(log *slog.Logger, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	code := errcode.Code("")
	if err != nil {
		code = errcode.Of(err)
	}
	if code == r.code {
		return
	}
	r.code = code
	if err == nil {
		log.Info("readiness: ready")
		return
	}
	log = log.With("code", string(code))
	if cause := errors.Unwrap(err); cause != nil {
		log = calls.WithCause(log, cause)
	}
	log.Warn("readiness: not ready")
}

// ping checks that the store responds.
func (g *Gateway) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return g.store.Ping(ctx)
}

// pingTimeout bounds the response time of an available store.
const pingTimeout = time.Second

// home is GET / and GET /assets/: the page and its files, or a few words about the routes if there is no page.
func (g *Gateway) home(w http.ResponseWriter, r *http.Request) error {
	if g.o.Page != nil {
		// Pages set their content policy and caching in their own headers.
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
		w.Header().Del("Cache-Control")
		g.o.Page.ServeHTTP(w, r)
		return nil
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte("AG-UI gateway\n\nPOST /agents/{agent} runs an agent; GET /agents lists them; " +
		"GET /openapi.json describes every route.\n"))
	return err
}

// openAPI describes the routes. A test holds it against the routing table.
//
//go:embed openapi.json
var openAPI []byte

// showOpenAPI is GET /openapi.json.
func (g *Gateway) showOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(openAPI)
	return err
}
