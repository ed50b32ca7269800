package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// copilotkitBase is where CopilotKit's own protocol is served: what its pages are given as their runtimeUrl.
const copilotkitBase = "/api/copilotkit"

// copilotkit speaks the protocol of CopilotKit's runtime, as its pages of version 1.74 do
// (reference/copilotkit.md). What it answers is the runtime's to say, word for word; what happens is ours.
type copilotkit struct {
	g     *Gateway
	table []copilotkitRoute
}

func newCopilotkit(g *Gateway) *copilotkit {
	k := &copilotkit{g: g}
	k.table = k.routes()
	return k
}

// A copilotkitRoute is one of the protocol's. In its path, which is below the base, {name} stands for any segment.
type copilotkitRoute struct {
	method, path string
	handler      handler
}

// routes is the table. The first path that matches decides, whatever its method.
func (k *copilotkit) routes() []copilotkitRoute {
	return []copilotkitRoute{
		{http.MethodPost, "", k.call},
		{http.MethodGet, "/info", k.info},
		{http.MethodPost, "/agent/{agent}/run", k.run},
		{http.MethodPost, "/agent/{agent}/connect", k.connect},
		{http.MethodPost, "/agent/{agent}/stop/{thread}", k.stop},
		{http.MethodPost, "/agent/{agent}/suggest", k.suggest},
		{http.MethodGet, "/threads", k.listThreads},
		{http.MethodPost, "/threads/subscribe", k.noThreadChanges},
		{http.MethodPost, "/threads/clear", k.clearThreads},
		{http.MethodGet, "/threads/{thread}/messages", k.showMessages},
		{http.MethodGet, "/threads/{thread}/events", k.showEvents},
		{http.MethodGet, "/threads/{thread}/state", k.showState},
		{http.MethodPatch, "/threads/{thread}", k.noThreadChanges},
		{http.MethodDelete, "/threads/{thread}", k.noThreadChanges},
		{http.MethodPost, "/threads/{thread}/archive", k.noThreadChanges},
		{http.MethodPost, "/annotate", k.noAnnotations},
		{http.MethodPost, "/transcribe", k.noTranscription},
		{http.MethodGet, "/inspector-metadata", k.noInspectorMetadata},
	}
}

// handle serves whatever is below the base.
func (k *copilotkit) handle(w http.ResponseWriter, r *http.Request) error {
	return k.dispatch(w, r, strings.TrimPrefix(r.URL.EscapedPath(), copilotkitBase))
}

// dispatch serves path, which is below the base, and answers what CopilotKit has words of its own for.
func (k *copilotkit) dispatch(w http.ResponseWriter, r *http.Request, path string) error {
	h, err := k.find(w, r, path)
	if err == nil {
		err = h(w, r)
	}
	if told, ok := errors.AsType[*reply](err); ok {
		k.g.log(r).Info("request: refused", "method", route.Logged(r.Method), "path", route.Logged(r.URL.Path), "status", told.status)
		route.Answer(w, told.status, told.body)
		return nil
	}
	return err
}

// find returns who serves path, and puts what the path names into r.
func (k *copilotkit) find(w http.ResponseWriter, r *http.Request, path string) (handler, error) {
	segments, ok := segmentsOf(path)
	first := slices.IndexFunc(k.table, func(o copilotkitRoute) bool { return ok && o.matches(segments) })
	if first < 0 {
		return nil, notFound()
	}
	var allowed []string
	for _, o := range k.table[first:] {
		if o.path != k.table[first].path {
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
func (o copilotkitRoute) matches(segments []string) bool {
	pattern, _ := segmentsOf(o.path)
	return slices.EqualFunc(pattern, segments, func(p, s string) bool { return p == s || strings.HasPrefix(p, "{") })
}

// name puts what segments name into r.
func (o copilotkitRoute) name(r *http.Request, segments []string) {
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
func (k *copilotkit) agent(r *http.Request) (*served, error) {
	name := r.PathValue("agent")
	if s, err := k.g.agent(name); err == nil {
		return s, nil
	}
	return nil, &reply{http.StatusNotFound, map[string]string{
		"error": "Agent not found", "message": "Agent '" + name + "' does not exist",
	}}
}

// errorBody is the body of an error before a stream: each client gets the shape it reads.
func errorBody(r *http.Request, code agui.Code, message string) any {
	switch {
	case !strings.HasPrefix(r.URL.Path, copilotkitBase+"/") && r.URL.Path != copilotkitBase:
		return map[string]any{"error": map[string]string{"code": string(code), "message": message, "requestId": route.RequestID(r)}}
	case code == agui.CodeInvalidInput, code == agui.CodeUnsupportedVersion:
		return map[string]string{"error": "Invalid request body", "details": message, "code": string(code), "requestId": route.RequestID(r)}
	default:
		return map[string]string{"error": string(code), "message": message, "code": string(code), "requestId": route.RequestID(r)}
	}
}
