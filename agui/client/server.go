package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A ServerKind is the kind of server at a [Client]'s URL. It determines how runs are stopped.
type ServerKind string

// The kinds of servers.
const (
	// ServerAuto finds it out: by the path, and for /agents/{name} by asking for its capabilities.
	ServerAuto ServerKind = ""
	// ServerGateway is a gateway like this one, at /agents/{name}. Its runs are requested with disconnect=detach, so
	// that a cut connection does not end them, and stopped by POST /threads/{id}/stop.
	ServerGateway ServerKind = "gateway"
	// ServerCopilotKit is a CopilotKit runtime, at /agent/{name}/run or with a single route. Its runs outlive
	// connections.
	ServerCopilotKit ServerKind = "copilotkit"
	// ServerOther is every other one: hanging up stops a run.
	ServerOther ServerKind = "other"
)

// splitAgentPath splits the path of u into its last two elements, such as "agents" and a name, and the rest.
func splitAgentPath(u *url.URL) (before, last1, last2 string) {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", "", ""
	}
	last2, path = path[i+1:], path[:i]
	i = strings.LastIndexByte(path, '/')
	return path[:max(0, i)], path[i+1:], last2
}

// kindByPath returns the kind that the path implies; empty if undetermined.
func kindByPath(u *url.URL) ServerKind {
	before, last1, last2 := splitAgentPath(u)
	switch {
	case last2 == "run" && strings.HasSuffix(before, "/agent"):
		return ServerCopilotKit
	case last1 == "agents":
		return ServerAuto
	default:
		return ServerOther
	}
}

// Server returns the kind of the server, and finds it out first if need be.
func (c *Client) Server(ctx context.Context, header http.Header) ServerKind {
	c.mu.Lock()
	kind := c.kind
	c.mu.Unlock()
	if kind != ServerAuto {
		return kind
	}
	capabilities, err := c.Capabilities(ctx, header)
	switch {
	case err == nil && capabilities.Identity != nil && capabilities.Identity.Type == "gateway":
		kind = ServerGateway
	case err == nil, hasNoCapabilities(err):
		kind = ServerOther
	default:
		return ServerOther // for now: it may only be away, or not let us in
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kind = kind
	return kind
}

// hasNoCapabilities reports whether err means that the server has no capabilities route.
func hasNoCapabilities(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	default:
		return e.Fault == FaultInvalid
	}
}

// Capabilities requests GET {URL}/capabilities of a gateway. Most other servers fail with an [*Error].
func (c *Client) Capabilities(ctx context.Context, header http.Header) (*agui.AgentCapabilities, error) {
	u := *c.url
	u.RawQuery, u.Fragment = "", ""
	var capabilities agui.AgentCapabilities
	call := Call{Method: http.MethodGet, URL: u.JoinPath("capabilities")}
	if err := c.ask(ctx, header, call, &capabilities); err != nil {
		return nil, err
	}
	return &capabilities, nil
}

// Stop ends the live run of a thread by the server's stop route. It reports whether there is such a route.
func (c *Client) Stop(ctx context.Context, threadID, runID string, header http.Header) (bool, error) {
	switch c.Server(ctx, header) {
	case ServerGateway:
		return true, c.ask(ctx, header, Call{Method: http.MethodPost, URL: c.thread(threadID, "stop")}, nil)
	case ServerCopilotKit:
		return true, c.stopRuntime(ctx, threadID, runID, header)
	default:
		return false, nil
	}
}

// Interrupts returns the open questions of a thread of a gateway; for other servers and unknown threads there are none.
func (c *Client) Interrupts(ctx context.Context, threadID string, header http.Header) ([]agui.Interrupt, error) {
	if c.Server(ctx, header) != ServerGateway {
		return nil, nil
	}
	var thread struct {
		Interrupts []agui.Interrupt `json:"interrupts"`
	}
	err := c.ask(ctx, header, Call{Method: http.MethodGet, URL: c.thread(threadID, "")}, &thread)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		return nil, nil
	}
	return thread.Interrupts, err
}

// thread is a gateway's route about a thread of the client's agent.
func (c *Client) thread(id, action string) *url.URL {
	u := *c.url
	u.RawQuery = url.Values{"agent": {c.Agent()}}.Encode()
	return u.JoinPath("..", "..", "threads", element(id), action)
}

// element is an id as one element of a path, be it "..".
func element(id string) string { return strings.ReplaceAll(url.PathEscape(id), ".", "%2E") }

// newRequest returns a request with headers, of which the last one of a name counts.
func newRequest(ctx context.Context, method string, u *url.URL, body []byte,
	headers ...http.Header) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		return nil, &Error{Fault: FaultUnreachable, Err: errors.New("the URL cannot be asked")}
	}
	for _, h := range headers {
		for name, values := range h {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}
