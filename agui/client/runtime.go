package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// A CopilotKit runtime has agents at {base}/agent/{name}/run or, unannounced, a single route for JSON envelopes.

var (
	errAgentElsewhere = errors.New("client: only an agent of a CopilotKit runtime has a name beside its URL; add " +
		"`server: copilotkit`, or write the name into the URL")
	errAgentTwice = errors.New("client: the URL ends in /agent/NAME/run and names an agent already; remove " +
		"`agent`, or shorten the URL to the runtime's base")
	errAgentMissing = errors.New("client: the URL of a CopilotKit runtime names no agent; add `agent: NAME`, or " +
		"end the URL in /agent/NAME/run")
)

// runsURL is where runs are posted: the URL of the options, or that of their agent below it.
func runsURL(u *url.URL, server ServerKind, agent string) (*url.URL, error) {
	whole := kindByPath(u) == ServerCopilotKit
	switch {
	case agent != "" && server != ServerCopilotKit:
		return nil, errAgentElsewhere
	case agent != "" && whole:
		return nil, errAgentTwice
	case agent != "":
		return u.JoinPath("agent", element(agent), "run"), nil
	case server == ServerCopilotKit && !whole:
		return nil, errAgentMissing
	default:
		return u, nil
	}
}

// runtimeBase is the base of the runtime at …/agent/{name}/run.
func (c *Client) runtimeBase() *url.URL {
	u := *c.url
	u.RawQuery, u.Fragment = "", ""
	return u.JoinPath("..", "..", "..")
}

type runtimeCall struct {
	Method string            `json:"method"`
	Params map[string]string `json:"params,omitempty"`
	Body   any               `json:"body,omitempty"`
}

// envelope is the request for a call at a runtime's single route.
func (c *Client) envelope(call runtimeCall) Call {
	return Call{Method: http.MethodPost, URL: c.runtimeBase(), Body: call}
}

// A runtimeInfo is the part of a runtime's description that is used here.
type runtimeInfo struct {
	Agents map[string]json.RawMessage `json:"agents"`
}

// singleRoute reports whether a runtime that has refused a run has a single route. It probes the base once.
func (c *Client) singleRoute(ctx context.Context, header http.Header) bool {
	info, err := c.singleInfo(ctx, header)
	if err != nil || info.Agents == nil {
		return false
	}
	c.single.Store(true)
	return true
}

func (c *Client) singleInfo(ctx context.Context, header http.Header) (info runtimeInfo, err error) {
	err = c.ask(ctx, header, c.envelope(runtimeCall{Method: "info"}), &info)
	return info, err
}

// info requests the agents of a runtime, by its kind of route.
func (c *Client) info(ctx context.Context, header http.Header) (info runtimeInfo, err error) {
	if c.single.Load() {
		return c.singleInfo(ctx, header)
	}
	err = c.ask(ctx, header, Call{Method: http.MethodGet, URL: c.runtimeBase().JoinPath("info")}, &info)
	if mayBeSingle(err) && c.singleRoute(ctx, header) {
		return c.singleInfo(ctx, header)
	}
	return info, err
}

// mayBeSingle reports whether err is the response of a runtime with a single route to other requests: an unknown route
// or method, or, if it accepts everything below its base, an invalid envelope.
func mayBeSingle(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed ||
		e.Status == http.StatusBadRequest)
}

func (c *Client) stopRuntime(ctx context.Context, threadID, runID string, header http.Header) error {
	body := map[string]string{"runId": runID}
	call := Call{Method: http.MethodPost, Body: body,
		URL: c.runtimeBase().JoinPath("agent", element(c.Agent()), "stop", element(threadID))}
	if c.single.Load() {
		params := map[string]string{"agentId": c.Agent(), "threadId": threadID}
		call = c.envelope(runtimeCall{Method: "agent/stop", Params: params, Body: body})
	}
	return c.ask(ctx, header, call, nil)
}
