package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// wire is how the reader of a request wants its stream: by its era, the agent's options, the query parameters
// interrupts=standard|legacy, subagents=on|off and refusals=error|ask, and what is said of subagents elsewhere. Dialect is that of
// the route, props are the forwarded properties if there are any.
func (g *Gateway) wire(r *http.Request, agent *served, era agui.Era, dialect wire.Dialect, props json.RawMessage) (w wire.Profile, err error) {
	w = wire.Profile{Era: era, Dialect: dialect}
	if w.Subagents, err = subagents(r, agent, era, dialect, props); err != nil {
		return w, err
	}
	if agent.LegacyInterrupts {
		w.Dialect = wire.Legacy
	}
	q := r.URL.Query()
	switch q.Get("interrupts") {
	case "":
	case "standard":
		w.Dialect = wire.Standard
	case "legacy":
		w.Dialect = wire.Legacy
	default:
		return w, route.InvalidQuery("interrupts", "must be standard or legacy")
	}
	switch q.Get("refusals") {
	case "", "error":
	case "ask":
		w.AskAgain = true
	default:
		return w, route.InvalidQuery("refusals", "must be error or ask")
	}
	return w, nil
}

// threadWire is the thread a request names, its agent, and how the request's reader wants the thread's streams; its era
// is that of ?protocolVersion=, for there is no body to say it.
func (g *Gateway) threadWire(r *http.Request) (state.Key, *served, wire.Profile, error) {
	key, err := g.thread(r)
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	agent, err := g.agent(key.Agent)
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	era, err := agui.EraOf(r.URL.Query().Get("protocolVersion"))
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	wire, err := g.wire(r, agent, era, wire.Standard, nil)
	return key, agent, wire, err
}
