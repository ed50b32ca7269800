package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
)

// SubagentEvents says who is sent SUBAGENT_* events. Clients before @ag-ui/client 0.0.59 refuse a stream that has them.
// Whatever it says, a request can ask for them, or for none.
type SubagentEvents string

// The settings of SubagentEvents.
const (
	// SubagentsAuto sends them to those who state a protocol version, as clients do since 1.0, on every route.
	SubagentsAuto SubagentEvents = "auto"
	// SubagentsOn sends them to everybody.
	SubagentsOn SubagentEvents = "on"
	// SubagentsOff sends them only to those who ask.
	SubagentsOff SubagentEvents = "off"
)

// subagentsHeader asks for SUBAGENT_* events, for clients that cannot set a query.
const subagentsHeader = "X-Gateway-Subagents"

// subagents reports whether the reader of a request is sent SUBAGENT_* events. The query counts before the header, the header
// before forwardedProps.gateway.subagents, and each of them before the agent's setting. Without a word, POST /subgraphs is for
// clients that do not know them.
func subagents(r *http.Request, agent *served, era agui.Era, dialect wire.Dialect, props json.RawMessage) (bool, error) {
	var forwarded struct {
		Gateway struct {
			Subagents json.RawMessage `json:"subagents"`
		} `json:"gateway"`
	}
	// Properties of another shape are the application's own.
	_ = json.Unmarshal(props, &forwarded)
	property := string(forwarded.Gateway.Subagents)
	if property == "null" {
		property = ""
	}
	for _, said := range []struct{ where, what, on, off string }{
		{"subagents", r.URL.Query().Get("subagents"), "on", "off"},
		{subagentsHeader, r.Header.Get(subagentsHeader), "on", "off"},
		{"forwardedProps.gateway.subagents", property, `"on"`, `"off"`},
	} {
		switch said.what {
		case "":
		case said.on:
			return true, nil
		case said.off:
			return false, nil
		default:
			return false, route.InvalidQuery(said.where, "must be on or off")
		}
	}
	switch {
	case dialect == wire.Legacy:
		return false, nil
	case agent.SubagentEvents == SubagentsAuto:
		return era != agui.Era0, nil
	default:
		return agent.SubagentEvents == SubagentsOn, nil
	}
}
