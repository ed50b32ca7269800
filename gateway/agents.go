package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// agent returns the agent served under name.
func (g *Gateway) agent(name string) (*served, error) {
	if a, ok := g.roster.Load().agents[name]; ok {
		return a, nil
	}
	return nil, &agui.Error{Code: agui.CodeNotFound, Err: fmt.Errorf("gateway: no agent is called %q", name)}
}

// listAgents is GET /agents.
func (g *Gateway) listAgents(w http.ResponseWriter, _ *http.Request) error {
	type participant struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	type agent struct {
		ID           string        `json:"id"`
		Description  string        `json:"description"`
		Interrupts   bool          `json:"interrupts"`
		Participants []participant `json:"participants"`
	}
	list := []agent{}
	served := g.roster.Load().agents
	for _, name := range slices.Sorted(maps.Keys(served)) {
		s := served[name]
		a := agent{ID: name, Description: s.Description, Interrupts: s.info.Interrupts, Participants: []participant{}}
		for _, p := range s.info.Participants {
			a.Participants = append(a.Participants, participant{p.Name, p.Description})
		}
		list = append(list, a)
	}
	route.Answer(w, http.StatusOK, map[string]any{"agents": list})
	return nil
}

// showCapabilities is GET /agents/{agent}/capabilities, in the shape of AG-UI 1.0.
func (g *Gateway) showCapabilities(w http.ResponseWriter, r *http.Request) error {
	s, err := g.agent(r.PathValue("agent"))
	if err != nil {
		return err
	}
	route.Answer(w, http.StatusOK, s.capabilities())
	return nil
}

// capabilities says what the agent is known to be able to do.
func (s *served) capabilities() agui.AgentCapabilities {
	can, yes := s.info.Abilities, true
	told := func(ability bool) *bool { // what is not known is not denied
		if ability {
			return &yes
		}
		return nil
	}
	c := agui.AgentCapabilities{
		Identity:  &agui.IdentityCapabilities{Name: s.name, Description: s.Description, Type: "gateway"},
		Transport: &agui.TransportCapabilities{Streaming: &yes, Resumable: &yes},
		State:     &agui.StateCapabilities{Snapshots: &yes, Deltas: &yes, PersistentState: &yes},
	}
	if can.Tools || can.ClientTools {
		c.Tools = &agui.ToolsCapabilities{Supported: &yes, ClientProvided: told(can.ClientTools)}
	}
	if can.Reasoning {
		c.Reasoning = &agui.ReasoningCapabilities{Supported: &yes, Streaming: &yes}
	}
	if s.info.Interrupts {
		c.HumanInTheLoop = &agui.HumanInTheLoopCapabilities{
			Supported: &yes, Interrupts: &yes, Approvals: told(can.Approvals), ApproveWithEdits: told(can.Approvals),
		}
	}
	if len(s.info.Participants) > 0 {
		c.MultiAgent = &agui.MultiAgentCapabilities{Supported: &yes, Delegation: &yes, Handoffs: told(can.Handoffs)}
		for _, p := range s.info.Participants {
			c.MultiAgent.Subagents = append(c.MultiAgent.Subagents, agui.SubagentInfo{Name: p.Name, Description: p.Description})
		}
	}
	return c
}
