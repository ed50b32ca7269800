package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/internal/exact"
)

// hintTimeout bounds all the requests by which a hint is found.
const hintTimeout = 3 * time.Second

// addHint adds a hint to an error that another kind of server would cause. It probes the server once, without headers.
func (c *Client) addHint(ctx context.Context, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	switch e.Status {
	case http.StatusOK, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType:
	default:
		return err
	}
	if c.hinting.LockContext(ctx) != nil {
		return err
	}
	defer c.hinting.Unlock()
	if !c.hintTried {
		found := c.hint(ctx)
		if found == "" && ctx.Err() != nil {
			return err // the next error may find one
		}
		c.found, c.hintTried = found, true
	}
	hinted := *e
	hinted.Hint = c.found
	return &hinted
}

// hint probes the well-known routes of other kinds of servers.
func (c *Client) hint(ctx context.Context) string {
	ctx, cancel := context.WithTimeoutCause(ctx, hintTimeout, errTotal)
	defer cancel()
	here := url.URL{Scheme: c.url.Scheme, Host: c.url.Host, Path: c.url.Path, RawPath: c.url.RawPath}
	root := url.URL{Scheme: c.url.Scheme, Host: c.url.Host, Path: "/"}
	for _, q := range []struct {
		at      *url.URL
		post    any
		members []string // of the answer: all of them show it
		says    string
	}{
		{here.JoinPath("info"), nil, []string{"agents"},
			"a CopilotKit runtime answers there, which wants `server: copilotkit` and `agent: NAME`"},
		{&here, runtimeCall{Method: "info"}, []string{"agents"},
			"a CopilotKit runtime answers there, which wants `server: copilotkit` and `agent: NAME`"},
		{root.JoinPath("info"), nil, []string{"version", "flags"},
			"a LangGraph server answers there, which wants `type: langgraph`"},
		{root.JoinPath(".well-known", "agent-card.json"), nil, []string{"name", "skills"},
			"an A2A agent answers there, which wants `type: a2a`"},
		{here.JoinPath("models"), nil, []string{"object", "data"},
			"a model's server answers there, which belongs under `models:`"},
		{root.JoinPath("v1", "models"), nil, []string{"object", "data"},
			"a model's server answers there, which belongs under `models:`"},
		{&here, initialize, []string{"jsonrpc", "result"}, "an MCP server answers there, which belongs under `mcp:`"},
	} {
		if c.hasMembers(ctx, q.at, q.post, q.members) {
			return q.says
		}
	}
	return ""
}

// initialize is the first request of every session with an MCP server.
var initialize = map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{
	"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
	"clientInfo": map[string]string{"name": "agui-gateway", "version": "1"},
}}

// hasMembers reports whether a route answers with a JSON object, or an event of one, that has all the members.
func (c *Client) hasMembers(ctx context.Context, at *url.URL, post any, members []string) bool {
	s := c.session(ctx, nil, Options{MaxEvent: 256 << 10})
	defer s.End()
	s.bare = true
	call := Call{Method: http.MethodGet, URL: at}
	if post != nil {
		call.Method, call.Body = http.MethodPost, post
	}
	r, err := s.send(call, "application/json, "+eventStream)
	if err != nil {
		return false
	}
	defer r.close()
	if r.StatusCode != http.StatusOK {
		return false
	}
	data, err := r.document()
	if _, event, ok := strings.Cut(string(data), "data: "); ok && !bytes.HasPrefix(data, []byte("{")) {
		line, _, _ := strings.Cut(event, "\n")
		data = []byte(line)
	} else if err != nil {
		return false
	}
	var answer map[string]json.RawMessage
	if exact.Unmarshal(data, &answer) != nil {
		return false
	}
	for _, m := range members {
		if answer[m] == nil {
			return false
		}
	}
	return true
}
