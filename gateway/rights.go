package gateway

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/groupchat"
)

// To a principal that may not use an agent, the agent does not exist, and neither do the threads that the principal once had with it. Every
// handler therefore gets its agents and threads from here, and from [Gateway.thread].

// allows reports whether a principal may use the agent.
func (s *served) allows(p groupchat.Principal) bool {
	return len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, p.Has)
}

// checkAllow returns what is wrong with who may use the agent. Without principals nobody has a role, so nobody could ever use it.
func (s *served) checkAllow(o Options) error {
	if len(s.Allow) > 0 && o.Principal == nil {
		return errors.New("allow names roles, and callers have none because nobody authenticates them; set Options.Principal, or -auth of the binary")
	}
	for _, role := range s.Allow {
		if problem := edge.CheckName(role, maxRole); problem != "" {
			return errors.New("allow: gateway: the principal's role " + problem)
		}
	}
	return nil
}

// ValidRole reports whether a principal can have a role: 1 to 256 bytes of printable UTF-8, without white space but blanks inside.
func ValidRole(role string) bool { return edge.CheckName(role, maxRole) == "" }

// agentFor returns the agent that is served under name to the principal of r.
func (g *Gateway) agentFor(r *http.Request, name string) (*served, error) {
	agent, err := g.agent(name)
	if err == nil && !agent.allows(route.Caller(r)) {
		return nil, unknownAgent(name)
	}
	return agent, err
}

// agentsFor returns the agents that are served to the principal of r, by name.
func (g *Gateway) agentsFor(r *http.Request) []*served {
	all, caller := g.roster.Load().agents, route.Caller(r)
	var list []*served
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if agent := all[name]; agent.allows(caller) {
			list = append(list, agent)
		}
	}
	return list
}

// hiddenFrom returns the names of the agents that the principal of r may not use: it has no threads with them. An agent that is served to
// nobody any more hides none.
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

// unknownAgent is the error of an agent that is not served, or not to who asks.
func unknownAgent(name string) error {
	return &errcode.Error{Code: errcode.NotFound, Err: fmt.Errorf("gateway: no agent is called %q", name)}
}
