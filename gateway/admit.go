package gateway

import (
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// runAgent is POST /agents/{agent}: a RunAgentInput in, a stream out.
func (g *Gateway) runAgent(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.agent(r.PathValue("agent"))
	if err != nil {
		return err
	}
	return g.run(w, r, agent, wire.Standard)
}

// runLegacy is POST /subgraphs: the same in the dialect of the clients before AG-UI 1.0's interrupts.
func (g *Gateway) runLegacy(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.legacyAgent()
	if err != nil {
		return err
	}
	return g.run(w, r, agent, wire.Legacy)
}

// legacyAgent is the agent of the route that names none.
func (g *Gateway) legacyAgent() (*served, error) {
	if g.o.Legacy != "" {
		return g.agent(g.o.Legacy)
	}
	agents := g.roster.Load().agents
	if len(agents) == 1 {
		for name := range agents {
			return g.agent(name)
		}
	}
	return g.agent("travel")
}

func (g *Gateway) run(w http.ResponseWriter, r *http.Request, agent *served, dialect wire.Dialect) error {
	req, err := g.decode(r, agent)
	if err != nil {
		return err
	}
	wire, err := g.wire(r, agent, req.Era, dialect, req.ForwardedProps)
	if err != nil {
		return err
	}
	wire.RunID = req.RunID
	disconnect := agent.Disconnect
	if d := Disconnect(r.URL.Query().Get("disconnect")); d != "" {
		disconnect = d
	}
	if disconnect != Cancel && disconnect != Detach {
		return &agui.Error{Code: agui.CodeInvalidInput, Err: &agui.FieldError{Path: "disconnect", Problem: "must be cancel or detach"}}
	}
	req.Tied = disconnect == Cancel
	return g.serve(w, r, agent, req, wire)
}

// serve admits a request and streams what it came to.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, agent *served, req *state.Request, wire wire.Profile) error {
	c := &caller{g: g, w: w, r: r, agent: agent, key: req.Key, req: req, wire: wire}
	begun, run, err := c.admit(r.Context())
	if err != nil {
		return c.failed(err)
	}
	defer c.panicked()
	return c.told(c.respond(begun, run))
}

// respond streams what the verdict says.
func (c *caller) respond(begun *state.Begun, run *attempt) error {
	switch begun.Verdict.Meaning {
	case state.Start, state.Resume, state.Repeat:
		return c.follow(begun, run)
	case state.Join:
		return c.join(begun.Thread)
	case state.Refuse:
		return c.refuse(begun)
	case state.Busy:
		return c.busy(begun.Verdict.Code)
	default: // Hydrate; admit returns neither Usurp nor Queued
		return c.hydrate(begun)
	}
}
