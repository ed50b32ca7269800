package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/langgraph"
)

// A Remote is an agent on another server.
type Remote struct {
	Name  string
	Where string // its URL, without secrets
	Type  string // of agent, in the team file
	Probe func(ctx context.Context) error
}

// Check returns the check of a remote agent.
func (r Remote) Check() Check {
	return check("remote", r.Name, func(ctx context.Context, c Check) []Finding {
		err := r.Probe(ctx)
		if err == nil {
			return c.ok("An agent answers at " + r.Where + "; no run was begun.")
		}
		says, mend := r.describeRefusal(ctx, err)
		return c.wrong(says, mend)
	})
}

func (r Remote) describeRefusal(ctx context.Context, err error) (says, mend string) {
	e, _ := errors.AsType[*client.Error](err)
	missing, isMissing := errors.AsType[*langgraph.NoAssistantError](err)
	if says, mend := r.describeA2ARefusal(err, e); says != "" {
		return says, mend
	}
	switch {
	case isMissing:
		return r.Where + ": " + missing.Error() + ".",
			"Correct `assistant:` in the team file: it is the name of a graph, or the UUID of an assistant."
	case refusedAddress(err):
		return r.Where + " is at an address that the gateway never connects to.", allowMend
	case ctx.Err() != nil, e != nil && e.Fault == client.FaultTimeout:
		return r.Where + " does not answer in time.",
			"Check whether the server hangs, and whether a firewall drops requests to it."
	case e == nil || e.Fault == client.FaultUnreachable:
		return r.Where + " cannot be reached: " + causeOf(err) + ".",
			"Start the server, or correct `url:` in the team file."
	case e.Hint != "":
		return fmt.Sprintf("%s is no AG-UI agent: %s.", r.Where, e.Hint),
			"Correct `type:` or `url:` in the team file; docs/remotes.md has what to write for which server."
	case errors.Is(err, client.ErrPage):
		return fmt.Sprintf("%s answers with a web page (status %d), not as an agent.", r.Where, e.Status),
			"The URL has to be that of the AG-UI endpoint itself, such as http://host:8000/agent; a Mastra server " +
				"needs an adapter for AG-UI, and a LangGraph server is an agent of `type: langgraph`. A page may " +
				"also be a proxy's sign-in."
	case errors.Is(err, client.ErrNoAgent):
		return r.Where + ": the CopilotKit runtime there has no such agent.",
			"Correct the name in `url:`; GET …/info lists those that there are."
	}
	switch isLangGraph := r.Type == "langgraph"; {
	case isLangGraph && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed):
		return fmt.Sprintf("%s has no assistants to ask for (%d).", r.Where, e.Status),
			"Correct `url:`: it is the root of a LangGraph server's API, such as http://host:2024, below which is " +
				"/assistants/search."
	case isLangGraph && e.Fault != client.FaultStatus:
		return r.Where + " answers, but not as a LangGraph server: " + causeOf(err) + ".",
			"Correct `url:`, or look at the log of that server; a page may be a proxy's sign-in."
	}
	switch e.Status {
	case http.StatusNotFound:
		return r.Where + " is not there (404).",
			"Correct the path in `url:`; it is that of the AG-UI endpoint, such as /agent or /agents/NAME, and some " +
				"servers want a / at its end."
	case http.StatusMethodNotAllowed:
		return r.Where + " takes no POST (405).",
			"Correct the path in `url:`; it is that of the AG-UI endpoint, to which runs are posted."
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s does not let the gateway in (%d).", r.Where, e.Status),
			"Give it what it asks for in `headers:`; if it wants the caller's own credentials (`forward_headers:`), " +
				"this check has none and nothing may be wrong."
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return fmt.Sprintf("%s redirects (%d), which is not followed.", r.Where, e.Status),
			"Write the URL to which it redirects; often only a / at the end, or https, is missing."
	default:
		return r.Where + " answers, but not as an AG-UI agent: " + causeOf(err) + ".",
			"Correct `url:`, or look at the log of that server."
	}
}

// describeA2ARefusal describes an error that only A2A agents have; empty for others.
func (r Remote) describeA2ARefusal(err error, e *client.Error) (says, mend string) {
	const cardMend = "Correct `url:`: it is that of the agent card, or what /.well-known/agent-card.json is below."
	says = r.Where + ": " + causeOf(err) + "."
	switch {
	case r.Type != "a2a" || e == nil:
		return "", ""
	case errors.Is(err, a2a.ErrElsewhere):
		return says, "Write where the agent is asked as `endpoint:` in the team file, if that server may be sent " +
			"the headers."
	case errors.Is(err, a2a.ErrTransport), errors.Is(err, a2a.ErrVersion):
		return says, "Give the agent an interface of JSON-RPC, of A2A 1.0 or 0.3, and name it in its card."
	case errors.Is(err, a2a.ErrCard), errors.Is(err, client.ErrPage), e.Status == http.StatusNotFound,
		e.Status == http.StatusMethodNotAllowed:
		return says, cardMend
	default:
		return "", ""
	}
}
