package copilotkit

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// Base is where CopilotKit's own protocol is served: what its pages are given as their runtimeUrl.
const Base = "/api/copilotkit"

// Options are what a handler works with. All are required.
type Options struct {
	Service Service
	// Store has the threads, whose lists and committed documents are read from it.
	Store state.Store
	// MaxBody is how many bytes a request of the transport with one route may have; 0 means any number.
	MaxBody int64
	NewID   func() string
}

// A Handler serves the protocol of CopilotKit's runtime, as pages of version 1.74 speak it. It answers with the runtime's own
// words and shapes. It is safe for concurrent use.
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

// An endpoint is a method and a path of the protocol. In its path, which is below the base, {name} stands for any segment.
type endpoint struct {
	method, path string
	handler      handler
}

// endpoints is the table. The first path that matches decides, whatever its method.
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

// Routes lists what is served, each as a method, a space and a path in which {name} stands for any segment.
func (h *Handler) Routes() []string {
	routes := make([]string, len(h.table))
	for i, e := range h.table {
		routes[i] = e.method + " " + Base + e.path
	}
	return routes
}

// Owns reports whether a path is below [Base].
func Owns(path string) bool { return path == Base || strings.HasPrefix(path, Base+"/") }

// Serve answers a request for a path below [Base]. Errors that the protocol has no words for are returned, with nothing
// written.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) error {
	return h.dispatch(w, r, strings.TrimPrefix(r.URL.EscapedPath(), Base))
}

// dispatch serves path, which is relative to the base, and answers the errors that have CopilotKit's own words.
func (h *Handler) dispatch(w http.ResponseWriter, r *http.Request, path string) error {
	serve, err := h.find(w, r, path)
	if err == nil {
		err = serve(w, r)
	}
	if told, ok := errors.AsType[*reply](err); ok {
		h.o.Service.Log(r).Info("request: refused", "method", route.Logged(r.Method), "path", route.Logged(r.URL.Path), "status", told.status)
		route.Answer(w, told.status, told.body)
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
			o.name(r, segments)
			return o.handler, nil
		}
		allowed = append(allowed, o.method)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return nil, &reply{http.StatusMethodNotAllowed, map[string]string{"error": "Method not allowed"}}
}

// matches reports whether segments are a path of o's.
func (o endpoint) matches(segments []string) bool {
	pattern, _ := segmentsOf(o.path)
	return slices.EqualFunc(pattern, segments, func(p, s string) bool { return p == s || strings.HasPrefix(p, "{") })
}

// name sets the path values of r.
func (o endpoint) name(r *http.Request, segments []string) {
	pattern, _ := segmentsOf(o.path)
	for i, p := range pattern {
		if strings.HasPrefix(p, "{") {
			r.SetPathValue(strings.Trim(p, "{}"), segments[i])
		}
	}
}

// segmentsOf are the segments of an escaped path; empty ones do not count.
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

// A reply is an error that is told in CopilotKit's words.
type reply struct {
	status int
	body   any
}

// Error returns the status' text, for logs.
func (e *reply) Error() string { return http.StatusText(e.status) }

func notFound() error { return &reply{http.StatusNotFound, map[string]string{"error": "Not found"}} }

// agent returns the agent that a request names.
func (h *Handler) agent(r *http.Request) (Agent, error) {
	name := r.PathValue("agent")
	if agent, ok := h.o.Service.Agent(name); ok {
		return agent, nil
	}
	return Agent{}, &reply{http.StatusNotFound, map[string]string{
		"error": "Agent not found", "message": "Agent '" + name + "' does not exist",
	}}
}

// ErrorBody is the body of an error that is answered before a stream, in the shape that CopilotKit's pages read.
func ErrorBody(code agui.Code, message, requestID string) any {
	switch code {
	case agui.CodeInvalidInput, agui.CodeUnsupportedVersion:
		return map[string]string{"error": "Invalid request body", "details": message, "code": string(code), "requestId": requestID}
	default:
		return map[string]string{"error": string(code), "message": message, "code": string(code), "requestId": requestID}
	}
}
