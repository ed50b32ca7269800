package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/state"
)

// A Problem is an error for people, with advice. Both texts are clean.
type Problem struct {
	Text, Hint string
	Err        error // may be nil
}

// Error is the text, with the hint in a line below it.
func (p *Problem) Error() string {
	if p.Hint == "" {
		return p.Text
	}
	return p.Text + "\n  " + p.Hint
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// explain returns an explanation of the client's errors. Others are returned unchanged.
func (s *session) explain(ctx context.Context, err error) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	at := line(s.o.Client.String(), 200)
	p := &Problem{Err: err}
	switch {
	case errors.Is(err, client.ErrPage):
		p.Text, p.Hint = "A web page answers at "+at+", and no agent.", whereAgentsAre
	case errors.Is(err, client.ErrNoAgent):
		p.Text = "The CopilotKit runtime at " + at + " has no such agent."
	case e.Fault == client.FaultUnreachable:
		p.Text = "Nothing answers at " + at + because(e.Err)
		p.Hint = "Is the server running, and is this its address? A gateway without -addr is at http://127.0.0.1:8080."
	case e.Fault == client.FaultStatus:
		s.explainStatus(ctx, e, at, p)
	case e.Fault == client.FaultInvalid:
		p.Text, p.Hint = "What answers at "+at+" does not speak AG-UI as it should"+because(e.Err), whereAgentsAre
	case e.Fault == client.FaultCut:
		p.Text = "The answer was cut off before the run had ended."
	case e.Fault == client.FaultTimeout:
		p.Text = "The server was silent for too long."
	default:
		p.Text = "The answer is too large."
	}
	return p
}

const whereAgentsAre = "An agent's URL is such as http://127.0.0.1:8080/agents/NAME at a gateway, and where runs " +
	"are posted at other servers."

// because is a cause in brackets, and the end of a sentence.
func because(err error) string {
	if err == nil {
		return "."
	}
	return " (" + line(err.Error(), 300) + ")."
}

// explainStatus explains a response that is no event stream.
func (s *session) explainStatus(ctx context.Context, e *client.Error, at string, p *Problem) {
	status := strconv.Itoa(e.Status)
	switch {
	case e.Status == 401 || e.Status == 403:
		p.Text = "The server at " + at + " does not let this in (" + status + ")."
		p.Hint = `Credentials are sent with -header "Authorization: Bearer …", ` +
			`or with GATEWAY_HEADER in the environment.`
	case e.Status >= 300 && e.Status < 400:
		p.Text, p.Hint = at+" leads to another place ("+status+"), which is not followed.",
			"Give the URL that it leads to."
	case errors.Is(s.o.Client.Probe(ctx, nil), client.ErrPage):
		p.Text, p.Hint = "A web page answers at "+at+" ("+status+"), and no agent.", whereAgentsAre
	case e.Status == 404:
		p.Text, p.Hint = "There is no agent at "+at+" (404).", whereAgentsAre
		if s.o.Agents != nil {
			if names := s.o.Agents(ctx); len(names) > 0 {
				p.Hint = "The gateway there has the agents " + line(strings.Join(names, ", "), 400) + "."
			}
		}
	case e.Status == 405:
		p.Text, p.Hint = at+" takes no runs (405).", whereAgentsAre
	case e.Status == 200:
		p.Text, p.Hint = "What answers at "+at+" sends no stream of events, as AG-UI does.", whereAgentsAre
	default:
		p.Text = "The server refused this (" + strings.TrimSpace(status+" "+e.Code) + "): " + line(e.Message, 400)
	}
}

// problemOf is a run that failed.
func problemOf(e *agui.RunError) *Problem {
	p := &Problem{Text: "The run failed: " + line(cmp.Or(e.Message, "nothing more is known"), 600),
		Hint: hintOfCode(e.Code)}
	if e.Code != "" {
		p.Text += " (" + line(e.Code, 80) + ")"
	}
	p.Text += whyRefused(e.Metadata["details"])
	return p
}

// whyRefused returns the problems of refused answers, a line each.
func whyRefused(details json.RawMessage) string {
	var list []state.Problem
	_ = json.Unmarshal(details, &list) // most errors have none
	text := ""
	for _, d := range list[:min(len(list), 8)] {
		text += "\n  the answer " + strings.TrimSpace(line(d.Path, 200)+" "+line(d.Problem, 200))
	}
	return text
}

// hintOfCode returns advice for an error with a code of the gateway; empty if the error has it already.
func hintOfCode(code string) string {
	switch code {
	case "interrupt_pending":
		return "A question is open; answer it first."
	case "run_in_progress":
		return "Another client's run is live in this conversation; try again when it has ended."
	case "interrupt_expired", "interrupt_already_resolved", "interrupt_not_found":
		return "The question is not open any more."
	}
	return ""
}
