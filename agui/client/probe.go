package client

import (
	"context"
	"errors"
	"mime"
	"net/http"
)

// Causes of an [*Error] that a probe has found, beside those of an answer.
var (
	// ErrPage is an answer that is a web page: the URL leads to a site, a sign-in or an error page in place of an agent.
	ErrPage = errors.New("the answer is a web page")
	// ErrNoAgent: a CopilotKit runtime answers, and has no agent of the name in the URL.
	ErrNoAgent = errors.New("the runtime has no such agent")
)

// Probe asks the server whether an agent answers at the URL. It begins no run: a gateway is asked what the agent can do, a CopilotKit
// runtime for its agents, and any other server for a run without the members that a run must have, which AG-UI servers refuse. A server
// that takes such a request all the same is hung up on at once. Header goes along, as in [Request]. An error is an [*Error] or the cause
// of ctx; what a server says of a refusal for other reasons (404, 401, 500, …) is in it.
func (c *Client) Probe(ctx context.Context, header http.Header) error {
	return c.hinted(ctx, c.probe(ctx, header))
}

func (c *Client) probe(ctx context.Context, header http.Header) error {
	switch c.Server(ctx, header) {
	case ServerGateway:
		_, err := c.Capabilities(ctx, header)
		return err
	case ServerCopilotKit:
		return c.probeRuntime(ctx, header)
	default:
		return c.probeRun(ctx, header)
	}
}

// probeRuntime asks a CopilotKit runtime for its agents.
func (c *Client) probeRuntime(ctx context.Context, header http.Header) error {
	told, err := c.info(ctx, header)
	if err != nil {
		return err
	}
	if _, ok := told.Agents[c.Agent()]; !ok {
		return &Error{Fault: FaultInvalid, Err: ErrNoAgent}
	}
	return nil
}

// probeRun asks for a run that no server can begin.
func (c *Client) probeRun(ctx context.Context, header http.Header) error {
	own, cancel := context.WithTimeoutCause(ctx, controlTimeout, errTotal)
	defer cancel()
	request, err := c.newRequest(own, http.MethodPost, c.url, []byte("{}"), header)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := c.http.Do(request)
	if err != nil {
		return broken(ctx, own, FaultUnreachable, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing more of it is wanted
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch status := response.StatusCode; {
	case media == "text/html":
		return &Error{Fault: FaultStatus, Status: status, Err: ErrPage}
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return nil // what was asked for is no run, as every AG-UI server has to find
	case status >= 200 && status <= 299 && media == "text/event-stream":
		return nil
	case status >= 200 && status <= 299:
		return &Error{Fault: FaultInvalid, Status: status, Err: errNoStream}
	default:
		return refusal(response)
	}
}

// errNoStream is an answer of status 200 that is none of an agent's.
var errNoStream = errors.New("the answer is no event stream")
