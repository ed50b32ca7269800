package copilotkit

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// Base is the path of CopilotKit's own protocol, which its pages are given as their runtimeUrl.
const Base = "/api/copilotkit"

// Options are the parts of a handler. All but MaxBody are required.
type Options struct {
	Service Service
	// Store has the threads: lists and committed documents are read from it, and live runs are stopped through it.
	Store state.Store
	// MaxBody limits the bytes of an envelope; 0 means no limit.
	MaxBody int64
	// NewID returns a unique id.
	NewID func() string
}

// A Handler serves the protocol of CopilotKit's runtime for pages of version 1.74. It is safe for concurrent use.
type Handler struct {
	o     Options
	table []endpoint
}

// New returns a handler for the paths below [Base].
func New(o Options) *Handler {
	h := &Handler{o: o}
	h.table = h.endpoints()
	return h
}

// A handler answers a request. It returns an error instead of writing one.
type handler func(w http.ResponseWriter, r *http.Request) error

// An endpoint is a method and a path below Base; {name} matches any segment.
type endpoint struct {
	method, path string
	handler      handler
}

// endpoints returns the table of routes. The first matching path decides, for all methods.
func (h *Handler) endpoints() []endpoint {
	return []endpoint{
		{http.MethodPost, "", h.call},
		{http.MethodGet, "/info", h.info},
		{http.MethodPost, "/agent/{agent}/run", h.run},
		{http.MethodPost, "/agent/{agent}/connect", h.connect},
		{http.MethodPost, "/agent/{agent}/stop/{thread}", h.stop},
		{http.MethodPost, "/agent/{agent}/suggest", h.suggest},
		{http.MethodGet, "/threads", h.listThreads},
		{http.MethodPost, "/threads/subscribe", h.noThreadChanges},
		{http.MethodPost, "/threads/clear", h.clearThreads},
		{http.MethodGet, "/threads/{thread}/messages", h.showMessages},
		{http.MethodGet, "/threads/{thread}/events", h.showEvents},
		{http.MethodGet, "/threads/{thread}/state", h.showState},
		{http.MethodPatch, "/threads/{thread}", h.noThreadChanges},
		{http.MethodDelete, "/threads/{thread}", h.noThreadChanges},
		{http.MethodPost, "/threads/{thread}/archive", h.noThreadChanges},
		{http.MethodPost, "/annotate", h.noAnnotations},
		{http.MethodPost, "/transcribe", h.noTranscription},
		{http.MethodGet, "/inspector-metadata", h.noInspectorMetadata},
	}
}

// Routes lists the routes, each as a method, a space and a path; {name} matches any segment.
func (h *Handler) Routes() []string {
	routes := make([]string, len(h.table))
	for i, e := range h.table {
		routes[i] = e.method + " " + Base + e.path
	}
	return routes
}

// Owns reports whether a path is below [Base].
func Owns(path string) bool { return path == Base || strings.HasPrefix(path, Base+"/") }

// Serve answers a request for a path below [Base]. It returns an error, with nothing written, for an unknown route.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) error {
	return h.dispatch(w, r, strings.TrimPrefix(r.URL.EscapedPath(), Base))
}

// dispatch serves a path relative to Base, and answers errors for which the protocol defines an answer.
func (h *Handler) dispatch(w http.ResponseWriter, r *http.Request, path string) error {
	serve, err := h.find(w, r, path)
	if err == nil {
		err = serve(w, r)
	}
	if answer, ok := errors.AsType[*reply](err); ok {
		h.o.Service.Log(r).With(route.RequestAttrs(r)...).Info("request: refused", "status", answer.status)
		route.Answer(w, answer.status, answer.body)
		return nil
	}
	return err
}

// find returns the handler of path, and sets the path values of r.
func (h *Handler) find(w http.ResponseWriter, r *http.Request, path string) (handler, error) {
	segments, ok := segmentsOf(path)
	first := slices.IndexFunc(h.table, func(o endpoint) bool { return ok && o.matches(segments) })
	if first < 0 {
		return nil, notFound()
	}
	var allowed []string
	for _, o := range h.table[first:] {
		if o.path != h.table[first].path {
			continue
		}
		if o.method == r.Method || o.method == http.MethodGet && r.Method == http.MethodHead {
			o.setPathValues(r, segments)
			route.Name(r, o.method+" "+Base+o.path)
			return o.handler, nil
		}
		allowed = append(allowed, o.method)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return nil, &reply{http.StatusMethodNotAllowed, map[string]string{"error": "Method not allowed"}}
}

func (o endpoint) matches(segments []string) bool {
	pattern, _ := segmentsOf(o.path)
	return slices.EqualFunc(pattern, segments, func(p, s string) bool { return p == s || strings.HasPrefix(p, "{") })
}

func (o endpoint) setPathValues(r *http.Request, segments []string) {
	pattern, _ := segmentsOf(o.path)
	for i, p := range pattern {
		if strings.HasPrefix(p, "{") {
			r.SetPathValue(strings.Trim(p, "{}"), segments[i])
		}
	}
}

// segmentsOf returns the segments of an escaped path without empty ones. It reports false for a malformed path.
func segmentsOf(path string) ([]string, bool) {
	var segments []string
	for s := range strings.SplitSeq(path, "/") {
		if s == "" {
			continue
		}
		s, err := url.PathUnescape(s)
		if err != nil {
			return nil, false
		}
		segments = append(segments, s)
	}
	return segments, true
}

// A reply is an error with the answer that CopilotKit's runtime gives.
type reply struct {
	status int
	body   any
}

// Error returns the text of the status.
func (e *reply) Error() string { return http.StatusText(e.status) }

func notFound() error { return &reply{http.StatusNotFound, map[string]string{"error": "Not found"}} }

func (h *Handler) agent(r *http.Request) (Agent, error) {
	name := r.PathValue("agent")
	if agent, ok := h.o.Service.Agent(r, name); ok {
		return agent, nil
	}
	return Agent{}, &reply{http.StatusNotFound, map[string]string{
		"error": "Agent not found", "message": "Agent '" + route.Shorten(name) + "' does not exist",
	}}
}

// ErrorBody returns the body of an error before a stream, in the form that CopilotKit's pages read.
func ErrorBody(code errcode.Code, message, requestID string) any {
	switch code {
	case errcode.InvalidInput, errcode.UnsupportedVersion:
		return map[string]string{"error": "Invalid request body", "details": message, "code": string(code),
			"requestId": requestID}
	default:
		return map[string]string{"error": string(code), "message": message, "code": string(code),
			"requestId": requestID}
	}
}
