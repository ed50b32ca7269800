package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/telemetry"
)

// Only this file uses echo. Handlers use net/http; the router passes them values in the request.

// A handler answers a request. It returns an error instead of writing one.
type handler func(w http.ResponseWriter, r *http.Request) error

// newRoutes is the table of docs/reference/routes.md.
func (g *Gateway) newRoutes() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = g.routingError
	e.IPExtractor = echo.ExtractIPDirect()
	e.Use(nameRoute, g.recover, g.identify, g.preflight, middleware.CORSWithConfig(g.cors()), g.guard)
	for _, route := range []tableRow{
		{http.MethodPost, "/agents/:agent", g.runAgent},
		{http.MethodPost, "/subgraphs", g.runLegacy},
		{http.MethodGet, "/me", g.showMe},
		{http.MethodGet, "/agents", g.listAgents},
		{http.MethodGet, "/agents/:agent/capabilities", g.showCapabilities},
		{http.MethodGet, "/me/export", g.exportMe},
		{http.MethodDelete, "/me", g.deleteMe},
		{http.MethodGet, "/me/approvals", g.showMyApprovals},
		{http.MethodDelete, "/me/approvals/:approval", g.revokeMyApproval},
		{http.MethodGet, "/threads", g.listThreads},
		{http.MethodGet, "/threads/:id", g.ofThread(g.showThreadJSON)},
		{http.MethodPatch, "/threads/:id", g.ofThread(g.renameThread)},
		{http.MethodDelete, "/threads/:id", g.ofThread(g.deleteThread)},
		{http.MethodGet, "/threads/:id/state", g.ofThread(g.showState)},
		{http.MethodPatch, "/threads/:id/state", g.ofThread(g.patchState)},
		{http.MethodGet, "/threads/:id/state/patches/:patch", g.ofThread(g.showPatch)},
		{http.MethodGet, "/threads/:id/approvals", g.ofThread(g.showApprovals)},
		{http.MethodDelete, "/threads/:id/approvals/:approval", g.ofThread(g.revokeApproval)},
		{http.MethodGet, "/threads/:id/events", g.attach},
		{http.MethodGet, "/threads/:id/messages/:message/files/:file", g.ofThread(g.showFile)},
		{http.MethodGet, "/threads/:id/runs/:run", g.showRun},
		{http.MethodGet, "/threads/:id/runs/:run/trace", g.showTrace},
		{http.MethodGet, "/threads/:id/runs/:run/events", g.showEvents},
		{http.MethodPost, "/threads/:id/resume", g.resume},
		{http.MethodPost, "/threads/:id/stop", g.ofThread(g.stop)},
		{http.MethodPost, "/threads/:id/fork", g.ofThread(g.fork)},
	} {
		route.add(e, g.adapt, g.authenticate)
	}
	for _, route := range []tableRow{ // public routes
		{http.MethodGet, "/healthz", g.healthz},
		{http.MethodGet, "/readyz", g.readyz},
		{http.MethodGet, "/openapi.json", g.showOpenAPI},
		{http.MethodGet, "/", g.home},
	} {
		route.add(e, g.adapt)
	}
	if g.o.Page != nil {
		tableRow{http.MethodGet, "/assets/*", g.home}.add(e, g.adapt)
	}
	k := newCopilotkit(g)
	for _, path := range []string{copilotkit.Base, copilotkit.Base + "/*"} {
		e.Any(path, g.adapt(k.Serve), g.authenticate) // it has a separate table
	}
	return e
}

// A tableRow is a route.
type tableRow struct {
	method, path string
	handler      handler
}

// add adds the route to e. Where GET is answered HEAD is too; net/http leaves the body out.
func (r tableRow) add(e *echo.Echo, adapt func(handler) echo.HandlerFunc, before ...echo.MiddlewareFunc) {
	e.Add(r.method, r.path, adapt(r.handler), before...)
	if r.method == http.MethodGet {
		e.HEAD(r.path, adapt(r.handler), before...)
	}
}

// adapt makes an echo handler of h, with path parameters in the request and a writer that reports flush errors.
func (g *Gateway) adapt(h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		for i, name := range c.ParamNames() {
			value := c.ParamValues()[i]
			if decoded, err := url.PathUnescape(value); err == nil && r.URL.RawPath != "" {
				value = decoded
			}
			r.SetPathValue(name, value)
		}
		w := responseWriter{c.Response()}
		if err := h(w, r); err != nil {
			g.answerError(w, r, err)
		}
		return nil
	}
}

// A responseWriter is echo's, with the two things streams need.
type responseWriter struct{ *echo.Response }

// FlushError flushes and returns what went wrong.
func (w responseWriter) FlushError() error {
	if !w.Committed {
		w.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(w.Writer).Flush()
}

// Begun reports whether the response has begun.
func (w responseWriter) Begun() bool { return w.Committed }

// nameRoute sets the route's name for the measurement of the request.
func nameRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if path := c.Path(); path != "" {
			telemetry.NameRoute(c.Request().Context(), c.Request().Method+" "+path)
		}
		return next(c)
	}
}

// requestIDHeader names a request, in it and in its answer.
const requestIDHeader = echo.HeaderXRequestID

// identify gives a request an id, also in the response, its client's address, and a deadline for its body: net/http
// waits for the rest of a body before it responds, even if no handler reads it.
func (g *Gateway) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		id, serverID := r.Header.Get(requestIDHeader), rand.Text()
		if !goodRequestID(id) {
			id = g.o.NewID()
			serverID = id
		}
		c.Response().Header().Set(requestIDHeader, id)
		r = route.WithAddress(route.WithRequestID(r, id, serverID), g.clientAddress(r))
		defer route.TimeBody(responseWriter{c.Response()}, r)()
		c.SetRequest(r)
		return next(c)
	}
}

// authenticate gives a request its principal, or refuses it.
func (g *Gateway) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		principal, err := g.principal(r)
		if err != nil {
			g.refusePrincipal(responseWriter{c.Response()}, r, err)
			return nil
		}
		r = route.WithPrincipal(r, principal)
		if err := g.limits.takeRequest(r); err != nil {
			g.writeRateLimited(responseWriter{c.Response()}, r, err)
			return nil
		}
		if timed, ok := c.Response().Writer.(*timedWriter); ok {
			timed.owner = principal.ID
		}
		// net/http drops what it cannot parse, such as the agent's name
		if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
			g.answerError(responseWriter{c.Response()}, r, route.InvalidQuery("query", "is malformed"))
			return nil
		}
		room := g.limits.bodies.Hold(principal.ID)
		defer room.Release()
		c.SetRequest(route.WithRoom(r, room))
		return next(c)
	}
}

// recover turns a panic of a handler into an answer. Agents run elsewhere and have their own.
func (g *Gateway) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{
		DisableStackAll: true,
		LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
			g.log(c.Request()).Error("request: panic", "error", err, "stack", string(stack))
			return &errcode.Error{Code: errcode.Internal, Err: err}
		},
	})(next)
}

// routingError answers what no handler of ours did: unknown paths and methods.
func (g *Gateway) routingError(err error, c echo.Context) {
	code := errcode.Of(err)
	//nolint:errorlint // echo's router returns these two as they are
	switch err {
	case echo.ErrNotFound:
		code = errcode.NotFound
	case echo.ErrMethodNotAllowed:
		code = errcode.MethodNotAllowed
	}
	g.answerError(responseWriter{c.Response()}, c.Request(), &errcode.Error{Code: code, Err: err})
}

// cors lets pages of the allowed origins call the gateway.
func (g *Gateway) cors() middleware.CORSConfig {
	return middleware.CORSConfig{
		// A preflight for a host that is not served is left to guard, which refuses it.
		Skipper: func(c echo.Context) bool {
			return isPreflight(c.Request()) &&
				g.hosts().Check(c.Request()) != nil
		},
		AllowOriginFunc: func(origin string) (bool, error) { return g.origins().Allow(origin), nil },
		AllowMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch,
			http.MethodDelete},
		// Allows the requested headers that preflight has kept: * would leave Authorization out.
		AllowCredentials: g.origins().Credentials(),
		ExposeHeaders:    []string{requestIDHeader, "Retry-After", "ETag", "Location"},
		MaxAge:           600,
	}
}

// isPreflight reports whether r is a CORS preflight.
func isPreflight(r *http.Request) bool { return r.Method == http.MethodOptions }

// preflight logs origins that may not call, and removes from a preflight's requested headers those that pages may not
// set.
func (g *Gateway) preflight(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		g.logOrigin(c.Request())
		if h := c.Request().Header; isPreflight(c.Request()) {
			h.Set(echo.HeaderAccessControlRequestHeaders,
				edge.WantedHeaders(strings.Join(h.Values(echo.HeaderAccessControlRequestHeaders), ",")))
		}
		return next(c)
	}
}

// guard refuses requests for another host, from a page that may not call, or with too many headers.
func (g *Gateway) guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := g.hosts().Check(c.Request())
		if err == nil {
			err = g.origins().Check(c.Request())
		}
		if err == nil && g.o.Limits.Header > 0 && edge.HeaderSize(c.Request()) > g.o.Limits.Header {
			err = limit.Reached(limit.Header, &errcode.Error{Code: errcode.HeaderTooLarge})
		}
		if err != nil {
			g.answerError(responseWriter{c.Response()}, c.Request(), err)
			return nil
		}
		return next(c)
	}
}

// goodRequestID reports whether a caller's request id is safe in logs and headers.
func goodRequestID(id string) bool {
	const most = 128
	return id != "" && len(id) <= most && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// writePiece is the number of bytes of a response that get one deadline.
const writePiece = 64 << 10

// A timedWriter is a response with a time limit for each piece, which cuts off readers that do not read.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController // of ResponseWriter
	timeout time.Duration
	streams bool      // of HTTP/2, which resets a stream at its deadline even without a pending write
	until   time.Time // the deadline
	expired bool      // the reader took too long
	// answers bounds the bytes being written, which count for owner; "" for public content.
	answers *limit.Bytes
	owner   string
	noRoom  bool // for a part of the answer
}

// Write writes p in pieces. A large p occupies memory until it is sent, so it is counted in answers. If that is full
// the connection is cut, because a truncated response must not look complete.
func (w *timedWriter) Write(p []byte) (int, error) {
	if len(p) > writePiece && w.owner != "" {
		room := w.answers.Hold(w.owner)
		defer room.Release()
		if err := room.Grow(context.Background(), int64(len(p))); err != nil {
			w.noRoom = true
			w.limit()
			return 0, err
		}
	}
	for written := 0; ; {
		w.limit()
		n, err := w.ResponseWriter.Write(p[written:min(written+writePiece, len(p))])
		written += n
		if err != nil || written == len(p) {
			return written, w.note(err)
		}
	}
}

// FlushError flushes and returns what went wrong.
func (w *timedWriter) FlushError() error {
	w.limit()
	return w.note(w.control.Flush())
}

// note notes whether err, which it returns, is that of a deadline, and takes the deadline away from a stream.
func (w *timedWriter) note(err error) error {
	overdue := errors.Is(err, os.ErrDeadlineExceeded) || w.streams && err != nil && !time.Now().Before(w.until)
	w.expired = w.expired || overdue && !w.noRoom
	if w.streams && err == nil {
		_ = w.control.SetWriteDeadline(time.Time{}) // as in limit
	}
	return err
}

// Unwrap is for [http.ResponseController].
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// limit sets the deadline of the next write. Connections of tests may have none; on a closed one the write fails.
func (w *timedWriter) limit() {
	w.until = time.Now().Add(w.timeout)
	if w.noRoom {
		w.until = time.Unix(1, 0) // in the past: nothing more is written
	}
	_ = w.control.SetWriteDeadline(w.until)
}
