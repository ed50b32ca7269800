package gateway

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// A roster is the agents that are served at one time. What it does not say changes with the gateway's lock held.
type roster struct {
	agents map[string]*served // does not change

	runs     int  // of its agents, live here
	replaced bool // nobody begins one any more
	left     chan struct{}
}

// newRoster makes a roster of o.Agents. It reports every mistake of their definitions at once.
func newRoster(o Options) (*roster, error) {
	r := &roster{agents: map[string]*served{}, left: make(chan struct{})}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o.Agents)) {
		agent := o.Agents[name]
		if !ValidAgentName(name) {
			errs = append(errs, fmt.Errorf("gateway: agent %q: a name is letters, digits, '-' and '_'", name))
		}
		if agent == nil {
			errs = append(errs, fmt.Errorf("gateway: agent %q is nil", name))
			continue
		}
		err := protect(func() error {
			if v, ok := agent.(interface{ Validate() error }); ok {
				if err := v.Validate(); err != nil {
					return err
				}
			}
			s := serve(name, agent, o)
			s.roster = r
			r.agents[name] = s
			return nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("gateway: agent %q: %w", name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r, nil
}

// Replace serves other agents from now on, with what each has its own way as in [Options]. Runs under way go on with the
// agents they began with; the channel is closed when the last of them has ended here. A run that waits goes on with the new
// ones, if they still have every participant that its checkpoint relies on; otherwise its answer is
// refused with checkpoint_incompatible, and calling its questions off is not. An agent that is not there any more is not
// found. On an error, which names every mistake, nothing changes.
func (g *Gateway) Replace(agents map[string]groupchat.Agent, options map[string]AgentOptions) (left <-chan struct{}, err error) {
	o := g.o
	o.Agents, o.Agent = agents, options
	next, err := newRoster(o)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	last := g.roster.Swap(next)
	last.replaced = true
	last.over()
	return last.left, nil
}

// over closes left when the last run of a replaced roster has ended. The lock is held.
func (r *roster) over() {
	if !r.replaced || r.runs > 0 {
		return
	}
	select {
	case <-r.left:
	default:
		close(r.left)
	}
}

// enlist returns the agent that is served under name, which stays open until it is dismissed.
func (g *Gateway) enlist(name string) (*served, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	agent, err := g.agent(name)
	if err == nil {
		agent.roster.runs++
	}
	return agent, err
}

// dismiss lets go of an agent that was enlisted.
func (g *Gateway) dismiss(agent *served) {
	g.mu.Lock()
	defer g.mu.Unlock()
	agent.roster.runs--
	agent.roster.over()
}
