package client

import (
	"context"
	"errors"
	"net/http"
)

// Additional causes of an [*Error] from a probe.
var (
	// ErrPage means that the response is a web page: the URL leads to a site, a sign-in or an error page.
	ErrPage = errors.New("the answer is a web page")
	// ErrNoAgent: a CopilotKit runtime answers, and has no agent of the name in the URL.
	ErrNoAgent = errors.New("the runtime has no such agent")
)

// Probe checks whether an agent answers at the URL, without beginning a run: it requests the agent's capabilities from
// a gateway, the list of agents from a CopilotKit runtime, and from any other server a run without required members,
// which AG-UI servers refuse. If a server accepts that request, Probe hangs up immediately. header is added as in
// [Request]. An error is an [*Error] with the server's reason (404, 401, 500, …), or the cause of ctx.
func (c *Client) Probe(ctx context.Context, header http.Header) error {
	return c.addHint(ctx, c.probe(ctx, header))
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

func (c *Client) probeRuntime(ctx context.Context, header http.Header) error {
	info, err := c.info(ctx, header)
	if err != nil {
		return err
	}
	if _, ok := info.Agents[c.Agent()]; !ok {
		return &Error{Fault: FaultInvalid, Err: ErrNoAgent}
	}
	return nil
}

// probeRun requests a run that no server can begin.
func (c *Client) probeRun(ctx context.Context, header http.Header) error {
	s := c.control(ctx, header)
	defer s.End()
	r, err := s.send(Call{Method: http.MethodPost, URL: c.url, Body: struct{}{}}, eventStream)
	if err != nil {
		return err
	}
	defer r.close()
	switch status := r.StatusCode; {
	case r.media == "text/html":
		return &Error{Fault: FaultStatus, Status: status, Err: ErrPage}
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return nil // every AG-UI server has to refuse the request as invalid
	case r.isSuccess() && r.media == eventStream:
		return nil
	case r.isSuccess():
		return &Error{Fault: FaultInvalid, Status: status, Err: errNoStream}
	default:
		return refusal(r.Response)
	}
}

// errNoStream is an answer of status 200 that is none of an agent's.
var errNoStream = errors.New("the answer is no event stream")
