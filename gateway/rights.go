package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/groupchat"
)

// For a principal without the right to use an agent, neither the agent nor the principal's earlier threads with it
// exist. Every handler therefore gets agents and threads from here, and from [Gateway.thread].

// allows reports whether a principal may use the agent.
func (s *servedAgent) allows(p groupchat.Principal) bool {
	return len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, p.Has)
}

// checkAllow returns an error if the agent's roles are invalid. Without Options.Principal no caller has a role.
func (s *servedAgent) checkAllow(o Options) error {
	if len(s.Allow) > 0 && o.Principal == nil {
		return errors.New("allow names roles, and callers have none without authentication; set Options.Principal, " +
			"or -auth of the binary")
	}
	for _, role := range s.Allow {
		if problem := edge.CheckName(role, maxRole); problem != "" {
			return errors.New("allow: gateway: the principal's role " + problem)
		}
	}
	return nil
}

// ValidRole reports whether role is a valid role: 1 to 256 bytes of printable UTF-8, without white space except blanks.
func ValidRole(role string) bool { return edge.CheckName(role, maxRole) == "" }

// agentFor returns the agent that is served under name to the principal of r.
func (g *Gateway) agentFor(r *http.Request, name string) (*servedAgent, error) {
	agent, err := g.agent(name)
	if err != nil || !agent.allows(route.Caller(r)) {
		return nil, g.notServed(r, name)
	}
	return agent, nil
}

// notServed is unknownAgent with a text that lists the agents that are served to the principal of r.
func (g *Gateway) notServed(r *http.Request, name string) error {
	served := g.agentsFor(r)
	names := make([]string, min(len(served), 20)) // no more than 20
	for i := range names {
		names[i] = served[i].name
	}
	return &errcode.Error{Code: errcode.NotFound, Err: unknownAgent(name),
		Text: "There is no such agent; GET /agents lists " + cmp.Or(strings.Join(names, ", "), "none") + "."}
}

// agentsFor returns the agents that are served to the principal of r, by name.
func (g *Gateway) agentsFor(r *http.Request) []*servedAgent {
	all, caller := g.roster.Load().agents, route.Caller(r)
	var list []*servedAgent
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if agent := all[name]; agent.allows(caller) {
			list = append(list, agent)
		}
	}
	return list
}

// hiddenFrom returns the names of the served agents that the principal of r may not use.
func (g *Gateway) hiddenFrom(r *http.Request) []string {
	caller := route.Caller(r)
	var names []string
	for name, agent := range g.roster.Load().agents {
		if !agent.allows(caller) {
			names = append(names, name)
		}
	}
	return names
}

// unknownAgent is the error for an agent that is not served to the caller.
func unknownAgent(name string) error {
	return &errcode.Error{Code: errcode.NotFound, Err: fmt.Errorf("gateway: no agent is called %q", name)}
}
