package copilotkit

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/exact"
)

// An envelope is a request of the transport that sends all requests to one route.
type envelope struct {
	Method json.RawMessage `json:"method"`
	Params struct {
		AgentID  json.RawMessage `json:"agentId"`
		ThreadID json.RawMessage `json:"threadId"`
		Path     json.RawMessage `json:"path"`
		Method   json.RawMessage `json:"httpMethod"`
	} `json:"params"`
	Body json.RawMessage `json:"body"` // nil if absent
}

func (h *Handler) call(w http.ResponseWriter, r *http.Request) error {
	e, err := h.envelope(r)
	if err != nil {
		return err
	}
	var method string
	if exact.Unmarshal(e.Method, &method) != nil {
		method = string(e.Method)
	}
	switch method {
	case "":
		return badCall("Missing method field", http.StatusBadRequest)
	case "info":
		return h.infoByCall(w, r)
	case "agent/run":
		return h.callAgent(w, r, e, h.run)
	case "agent/connect":
		return h.callAgent(w, r, e, h.connect)
	case "agent/suggest":
		return h.callAgent(w, r, e, h.suggest)
	case "agent/stop":
		return h.callStop(w, r, e)
	case "inspector/metadata":
		return h.noInspectorMetadata(w, r)
	case "inspector/learning":
		return notFound()
	case "transcribe":
		if e.isEmpty() {
			return missingBody()
		}
		return h.noTranscription(w, r)
	case "resource/request":
		return h.callResource(w, r, e)
	default:
		return badCall("Unsupported method '"+route.Shorten(method)+"'", http.StatusBadRequest)
	}
}

func (h *Handler) envelope(r *http.Request) (envelope, error) {
	var e envelope
	if route.MediaType(r) != "application/json" {
		return e, badCall("Single-route endpoint expects JSON payloads", http.StatusUnsupportedMediaType)
	}
	data, err := route.ReadBody(r, h.o.MaxBody)
	if err != nil {
		return e, err
	}
	if !json.Valid(data) {
		return e, badCall("Invalid JSON payload", http.StatusBadRequest)
	}
	// A body that is no object has no method; params of another form count as none.
	_ = exact.Unmarshal(data, &e)
	return e, nil
}

func (e envelope) isEmpty() bool { return len(e.Body) == 0 || string(e.Body) == "null" }

// param returns a parameter, which must be a text that is not blank.
func param(raw json.RawMessage, name string) (string, error) {
	var text string
	if exact.Unmarshal(raw, &text) != nil || strings.TrimSpace(text) == "" {
		return "", badCall("Missing or invalid parameter '"+name+"'", http.StatusBadRequest)
	}
	return text, nil
}

func (h *Handler) callAgent(w http.ResponseWriter, r *http.Request, e envelope, serve handler) error {
	agent, err := param(e.Params.AgentID, "agentId")
	if err != nil {
		return err
	}
	if e.isEmpty() {
		return missingBody()
	}
	r.SetPathValue("agent", agent)
	return serve(w, withBody(r, e.Body))
}

func (h *Handler) callStop(w http.ResponseWriter, r *http.Request, e envelope) error {
	agent, err := param(e.Params.AgentID, "agentId")
	if err != nil {
		return err
	}
	thread, err := param(e.Params.ThreadID, "threadId")
	if err != nil {
		return err
	}
	if e.Body != nil && e.isEmpty() {
		return missingBody()
	}
	r.SetPathValue("agent", agent)
	r.SetPathValue("thread", thread)
	return h.stop(w, withBody(r, e.Body))
}

// callResource serves a request for one of the routes on threads and annotations.
func (h *Handler) callResource(w http.ResponseWriter, r *http.Request, e envelope) error {
	path, err := param(e.Params.Path, "path")
	if err != nil {
		return err
	}
	method, err := param(e.Params.Method, "httpMethod")
	if err != nil {
		return err
	}
	u, err := url.Parse(path)
	if err != nil || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return badCall("Resource path must be Runtime-relative", http.StatusBadRequest)
	}
	if s, _ := segmentsOf(u.EscapedPath()); len(s) == 0 || s[0] != "threads" && s[0] != "annotate" {
		return notFound()
	}
	inner := withBody(r, e.Body)
	inner.Method = strings.ToUpper(method)
	target := *r.URL
	target.RawQuery = u.RawQuery
	inner.URL = &target
	return h.dispatch(w, inner, u.EscapedPath())
}

func withBody(r *http.Request, body []byte) *http.Request {
	inner := r.WithContext(r.Context())
	inner.Body = io.NopCloser(bytes.NewReader(body))
	inner.ContentLength = int64(len(body))
	return inner
}

func badCall(text string, status int) error {
	return &reply{status, map[string]string{"error": "invalid_request", "message": text}}
}

func missingBody() error {
	return badCall("Missing request body for JSON handler", http.StatusBadRequest)
}
