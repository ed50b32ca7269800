package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state"
)

// A servedAgent is an agent with all options filled in.
type servedAgent struct {
	AgentOptions
	roster *roster
	name   string
	agent  groupchat.Agent
	spec   groupchat.StateSpec
	info   profile.Info
	// removed marks an agent that no replica serves any more; its runs are only ended.
	removed bool
	// forwards names the headers of a request that the agent forwards.
	forwards []string
}

// withoutState returns a copy of the agent without initial state members and reducers, which come from its code.
func (s *servedAgent) withoutState() *servedAgent {
	bare := *s
	bare.spec = groupchat.StateSpec{}
	return &bare
}

// forwarded returns the request headers that the agent forwards; the agent sees no others.
func (s *servedAgent) forwarded(header http.Header) http.Header {
	if header == nil {
		return nil
	}
	passed := http.Header{}
	for _, name := range s.forwards {
		if values := header.Values(name); len(values) > 0 {
			passed[name] = slices.Clone(values)
		}
	}
	return passed
}

// maxForwarded bounds the bytes of forwarded headers, which are kept as long as the run.
const maxForwarded = 16 << 10

// checkForwarded refuses a request with headers that are too large to be stored for the agent.
func (s *servedAgent) checkForwarded(header http.Header) error {
	size := 0
	for name, values := range s.forwarded(header) {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxForwarded {
		err := fmt.Errorf("gateway: the headers that the agent forwards have %d bytes, more than %d", size,
			maxForwarded)
		return limit.Reached(limit.ForwardedHeaders, &errcode.Error{Code: errcode.TooLarge, Err: err})
	}
	return nil
}

// setOptions sets what the agent decides of a request.
func (s *servedAgent) setOptions(req *state.Request, o Options) {
	req.Writable, req.ListEdits, req.TypedAnswers = s.spec.Client, s.Edits, s.TypedAnswers != nil
	if s.OnBusy == Queue && req.Wait == nil {
		req.Wait = &state.Wait{Ticket: rand.Text(), TTL: o.Lease, Limit: o.Limits.Queue}
	}
}

func newServed(name string, agent groupchat.Agent, o Options) *servedAgent {
	s := &servedAgent{AgentOptions: o.Agent[name], name: name, agent: agent, forwards: groupchat.ForwardsOf(agent)}
	if d, ok := groupchat.As[profile.Describer](agent); ok {
		s.info = d.Describe()
	}
	if st, ok := groupchat.As[groupchat.Stateful](agent); ok {
		s.spec = st.StateSpec()
	}
	if s.Description == "" {
		s.Description = s.info.Description
	}
	if s.Disconnect == "" {
		s.Disconnect = o.Disconnect
	}
	if s.OnBusy == "" {
		s.OnBusy = o.OnBusy
	}
	if s.SubagentEvents == "" {
		s.SubagentEvents = o.SubagentEvents
	}
	atLeast(&s.InterruptTTL, o.InterruptTTL)
	atLeast(&s.RunTimeout, o.RunTimeout)
	if s.MaxTurns <= 0 {
		s.MaxTurns = o.Limits.Turns
	}
	if s.MaxTurns == 0 {
		s.MaxTurns = math.MaxInt // a negative limit is none
	}
	return s
}

type roster struct {
	agents    map[string]*servedAgent // does not change
	subgraphs string                  // name of the agent of POST /subgraphs; does not change

	// Fields below are guarded by [Gateway]'s mu.
	runs     int           // of its agents, live here
	replaced bool          // no more runs start
	left     chan struct{} // closed when it is replaced and the last run has ended
}

// newRoster returns a roster of o.Agents. Its error lists every mistake in their definitions.
func newRoster(o Options) (*roster, error) {
	r := &roster{agents: map[string]*servedAgent{}, left: make(chan struct{})}
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
		err := calls.Protect(func() error {
			if v, ok := groupchat.As[interface{ Validate() error }](agent); ok {
				if err := v.Validate(); err != nil {
					return err
				}
			}
			s := newServed(name, agent, o)
			s.roster = r
			r.agents[name] = s
			return s.checkAllow(o)
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("gateway: agent %q: %w", name, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.agents)) {
		switch {
		case !r.agents[name].Subgraphs:
		case r.subgraphs != "":
			errs = append(errs, fmt.Errorf("gateway: agents %q and %q are both the one of POST /subgraphs", r.subgraphs,
				name))
		default:
			r.subgraphs = name
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r, nil
}

// Replace replaces the served agents, with options for each as in [Options]. Live runs keep the agents that they
// started with; the returned channel is closed when the last of them has ended on this replica. A paused run resumes
// with the new agents if they include every participant that its checkpoint needs; otherwise answers fail with
// checkpoint_incompatible, and the questions can still be cancelled. Agents that are left out are not found any more.
// On an error, which lists every mistake, nothing changes.
func (g *Gateway) Replace(agents map[string]groupchat.Agent,
	options map[string]AgentOptions) (left <-chan struct{}, err error) {
	o := g.o
	o.Agents, o.Agent = agents, options
	next, err := newRoster(o)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.metrics.Expect(slices.Collect(maps.Keys(next.agents))...)
	last := g.roster.Swap(next)
	last.replaced = true
	last.closeWhenUnused()
	return last.left, nil
}

// closeWhenUnused closes left if the roster was replaced and its last run has ended. The gateway's mu is held.
func (r *roster) closeWhenUnused() {
	if !r.replaced || r.runs > 0 {
		return
	}
	select {
	case <-r.left:
	default:
		close(r.left)
	}
}

// acquireAgent returns the agent that is served under name for a run; its roster stays in use until releaseAgent.
func (g *Gateway) acquireAgent(name string) (*servedAgent, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	agent, err := g.agent(name)
	if err == nil {
		agent.roster.runs++
	}
	return agent, err
}

// releaseAgent ends the use of an agent that was acquired.
func (g *Gateway) releaseAgent(agent *servedAgent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	agent.roster.runs--
	agent.roster.closeWhenUnused()
}

// agent returns the agent served under name. Handlers use agentFor, which also checks the caller's rights.
func (g *Gateway) agent(name string) (*servedAgent, error) {
	if a, ok := g.roster.Load().agents[name]; ok {
		return a, nil
	}
	return nil, unknownAgent(name)
}

func (g *Gateway) listAgents(w http.ResponseWriter, r *http.Request) error {
	type participant struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	type agent struct {
		ID           string `json:"id"`
		Description  string `json:"description"`
		Interrupts   bool   `json:"interrupts"`
		TypedAnswers bool   `json:"typedAnswers"`

		Attachments  *attachmentsDocument `json:"attachments,omitempty"`
		Participants []participant        `json:"participants"`
		Team         *teamDocument        `json:"team"`

		Suggestions bool     `json:"suggestions"`
		Writable    []string `json:"writable"`
	}
	list := []agent{}
	for _, s := range g.agentsFor(r) {
		a := agent{ID: s.name, Description: s.Description, Interrupts: s.info.Interrupts,
			TypedAnswers: s.TypedAnswers != nil, Attachments: s.attachmentsDocument(g.o.Limits),
			Participants: []participant{}, Team: teamOf(s.info), Suggestions: s.suggester() != nil,
			Writable: s.writable()}
		for _, p := range s.info.Participants {
			a.Participants = append(a.Participants, participant{p.Name, p.Description})
		}
		list = append(list, a)
	}
	route.Answer(w, http.StatusOK, map[string]any{"agents": list})
	return nil
}

// suggester returns the agent's source of suggested messages, or nil.
func (s *servedAgent) suggester() groupchat.Suggester {
	suggester, _ := groupchat.As[groupchat.Suggester](s.agent)
	if chat, ok := suggester.(*groupchat.Chat); ok {
		return chat.Suggester // may be nil
	}
	return suggester
}

// countedSuggester is the agent's suggester under the hooks of a run of the agent. Its tokens count as the principal's.
func (g *Gateway) countedSuggester(s *servedAgent) groupchat.Suggester {
	suggester := s.suggester()
	if suggester == nil {
		return nil
	}
	return groupchat.SuggesterFunc(func(ctx context.Context, about groupchat.Situation) (
		[]groupchat.Suggestion, error,
	) {
		about.Agent, about.Hooks = s.agent, g.o.Hooks
		about.Used = func(usage []agui.TokenUsage) { g.limits.tokens.Spend(about.Principal.ID, agui.SumTokens(usage)) }
		return suggester.Suggest(ctx, about)
	})
}

// writable returns JSON Pointers of the state that callers may write at and below. The empty one is the whole state.
func (s *servedAgent) writable() []string {
	if s.spec.Client == nil {
		return []string{""}
	}
	return slices.Clone(s.spec.Client)
}

// showCapabilities is GET /agents/{agent}/capabilities, in the shape of AG-UI 1.0.
func (g *Gateway) showCapabilities(w http.ResponseWriter, r *http.Request) error {
	s, err := g.agentFor(r, r.PathValue("agent"))
	if err != nil {
		return err
	}
	route.Answer(w, http.StatusOK, s.capabilities())
	return nil
}

func (s *servedAgent) capabilities() agui.AgentCapabilities {
	can, yes := s.info.Abilities, true
	ifKnown := func(ability bool) *bool { // false would deny an unknown ability
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
	c.Multimodal = s.multimodal()
	if can.Tools || can.ClientTools {
		c.Tools = &agui.ToolsCapabilities{Supported: &yes, ClientProvided: ifKnown(can.ClientTools)}
	}
	if can.Reasoning {
		c.Reasoning = &agui.ReasoningCapabilities{Supported: &yes, Streaming: &yes}
	}
	if s.info.Interrupts {
		c.HumanInTheLoop = &agui.HumanInTheLoopCapabilities{
			Supported: &yes, Interrupts: &yes, Approvals: ifKnown(can.Approvals),
			ApproveWithEdits: ifKnown(can.Approvals),
		}
	}
	if len(s.info.Participants) > 0 {
		c.MultiAgent = &agui.MultiAgentCapabilities{Supported: &yes, Delegation: &yes, Handoffs: ifKnown(can.Handoffs)}
		for _, p := range s.info.Participants {
			c.MultiAgent.Subagents = append(c.MultiAgent.Subagents,
				agui.SubagentInfo{Name: p.Name, Description: p.Description})
		}
	}
	if can.Surfaces {
		c.Custom = agui.Metadata{"a2ui": json.RawMessage(`{"version":"v0.9"}`)}
	}
	return c
}
