package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// AsToolOptions say how a specialist is called as a tool. Name is required.
type AsToolOptions struct {
	// Name is the tool's and the specialist's; Description is the tool's description for the model, by default the
	// agent's.
	Name        string
	Description string
	// Branch is the conversation it works in.
	Branch tools.Branch
	// Inherit limits a fork to the messages in the request of the calling model: messages that its History omits are
	// omitted there too, with the same summary. Otherwise a fork has all messages of the agent, and its own History
	// limits its requests.
	Inherit bool
	// Compact, if set, makes what a fork is given shorter. It is called once per call of the tool: what it returns is
	// recorded. It must not change the messages.
	Compact func(ctx context.Context, history []Message) ([]Message, error)
	// Show streams its messages to people, even if the rest of the team does not see them. Otherwise people see that it
	// works, and what it asks.
	Show bool
	// Scope is which state it works on; the zero value is that of the agent that calls it. Writes are the pointers it
	// may write; nil means all.
	Scope  Scoping
	Writes []string
	// Retries is how often a failed turn of the specialist is tried again: see [failure.Policy].
	Retries int
	// Metadata is sent to the client with each result, beside the description of the branch.
	Metadata agui.Metadata
}

// AsTool returns agent as a tool of a model's. It takes one argument, the query, and its result is the last thing the
// agent says. Each call is a turn of the agent's inside that of the agent that calls it, a step and a subagent below
// it: it may ask and call, and waits with the run. Its own tools are its own.
//
// A person has to approve of each call; set Approve of the tool to change that. An [LLM] without a model speaks through
// that of the agent that calls it.
//
// The result's metadata say what became of it: subAgentStatus is completed or failed, and subAgent an object that tells
// the branch. A session is read off the results in the conversation, so it is as lasting as that, and goes where it is
// cut or forked.
func AsTool(agent Agent, o AsToolOptions) Tool {
	s := &specialist{agent, o}
	t := Tool{Name: o.Name, Description: o.Description, Parameters: querySchema, Approve: tools.ApproveAlways,
		Turn: s.call, agent: agent, Origin: originOf(agent, 0)}
	if d, ok := As[profile.Describer](agent); ok {
		t.info = d.Describe()
	}
	t.Description = cmp.Or(t.Description, t.info.Description)
	t.info.Name, t.info.Description = t.Name, t.Description
	t.err = s.check()
	return t
}

// givenKey begins the keys of what forks are given that were made shorter.
const givenKey = "given/"

// querySchema are the arguments of a specialist.
var querySchema = json.RawMessage(`{"type":"object","required":["query"],"additionalProperties":false,"properties":{` +
	`"query":{"type":"string","minLength":1,"description":"what to do or to find out, in full sentences"}}}`)

type specialist struct {
	agent Agent
	o     AsToolOptions
}

func (s *specialist) check() error {
	var errs []error
	bad := collecting(&errs)
	p := Participant{Name: s.o.Name, Agent: s.agent, Scope: s.o.Scope, Writes: s.o.Writes,
		OnError: failure.Policy{Retries: s.o.Retries}}
	p.validate(bad)
	if strings.ContainsAny(s.o.Name, "./@#") {
		bad("the name of a specialist must not contain any of . / @ #")
	}
	switch s.o.Branch {
	case tools.BranchFork, tools.BranchFresh, tools.BranchParent, tools.BranchSession:
	default:
		bad("unknown branch %q", s.o.Branch)
	}
	if s.o.Inherit && s.o.Branch != tools.BranchFork {
		bad("only a fork inherits a history")
	}
	if s.o.Compact != nil && s.o.Branch != tools.BranchFork {
		bad("only a fork is compacted")
	}
	return errors.Join(errs...)
}

func (s *specialist) call(ctx context.Context, t *Turn, c ToolCall) (tools.Result, error) {
	var given struct {
		Query string `json:"query"`
	}
	if err := exact.Unmarshal(c.Arguments, &given); err != nil {
		return tools.Result{}, err
	}
	b := s.branch(t, c, given.Query)
	o, err := s.invocation(ctx, t, c, &b)
	if err != nil {
		return tools.Result{}, err
	}
	one := Invocation{s.o.Name, s.inherit(c.model), o}
	replies, err := t.invokeAll([]Invocation{one}, func(child *Turn) {
		child.call, child.ctx = c.ID, telemetry.Continue(child.ctx, ctx)
		raw, _ := json.Marshal(child.announce()) // a string
		t.remember(b.memo, raw)
	})
	if err != nil && (ask.PauseOf(err) != nil || t.x.endCause() != nil) {
		return tools.Result{}, err
	}
	if raw, ok := t.memo(b.memo); ok {
		_ = exact.Unmarshal(raw, &b.RunID) // it is of our own making
	}
	if err != nil {
		return s.result("failed", b, ""), err
	}
	return s.result("completed", b, replies[0].Text()), nil
}

// inherit returns the agent, with model if it has none.
func (s *specialist) inherit(model model.Model) Agent { return inheriting(s.agent, model) }

func inheriting(agent Agent, model model.Model) Agent {
	if h, ok := agent.(*hooked); ok && h != nil {
		return &hooked{inheriting(h.agent, model), h.hooks}
	}
	l, ok := agent.(*LLM)
	if !ok || l == nil || l.Model != nil {
		return agent
	}
	own := *l
	own.Model = model
	return &own
}

func (s *specialist) invocation(ctx context.Context, t *Turn, c ToolCall, b *toolBranch) (InvokeOptions, error) {
	o := InvokeOptions{
		N: c.nth, Description: s.o.Description, Scope: s.o.Scope, Writes: s.o.Writes,
		OnError: failure.Policy{Retries: s.o.Retries},
		Input:   []Message{{ID: b.ID + "/query", Role: agui.RoleUser, Content: agui.TextContent(b.query)}},
		Output:  OutputNone,
	}
	if s.o.Show {
		o.Output = OutputDirect
	}
	switch s.o.Branch {
	case tools.BranchFresh:
		o.Messages = []Message{}
	case tools.BranchParent:
		o.Output = OutputBoth
	case tools.BranchSession:
		o.Messages = s.exchanges(t, c, b.SessionID)
	default:
		if s.o.Compact == nil && (!s.o.Inherit || c.history == nil) {
			break
		}
		var err error
		o.Messages, err = recorded(t, givenKey+s.o.Name+"/"+strconv.Itoa(c.nth), func() ([]Message, error) {
			own := func(m Message) bool { return t.x.said(m, s.o.Name, joinPath(t.identity(), s.o.Name)) }
			short := t.Messages()
			if s.o.Inherit && c.history != nil {
				short = c.history(short)
			}
			short = wordsOnly(short, own)
			var err error
			if s.o.Compact != nil {
				short, err = s.o.Compact(ctx, short)
			}
			return append([]Message{}, short...), err
		})
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// A toolBranch describes the specialist's conversation for the client. It names everything by an id or a path.
type toolBranch struct {
	Kind string `json:"kind"` // "subagent"
	ID   string `json:"branchId"`
	Name string `json:"name"`
	// RunID is the invocation, as in SUBAGENT_STARTED.
	RunID  string `json:"runId,omitempty"`
	Policy string `json:"policy"`
	// Visibility is hidden, or shown if people see the messages.
	Visibility string `json:"visibility"`
	// Parent is the path of the turn that called, and ToolCallID the call.
	Parent     string `json:"parent"`
	ToolCallID string `json:"toolCallId"`
	SessionID  string `json:"sessionId,omitempty"`
	// Query is what a session was asked: the arguments that clients were shown may have been edited.
	Query string `json:"query,omitempty"`

	query, memo string
}

func (s *specialist) branch(t *Turn, c ToolCall, query string) toolBranch {
	in := t.Input()
	nth := strconv.Itoa(c.nth)
	id := func(parts ...string) string {
		all := [][]byte{[]byte(in.Principal.ID), []byte(in.Agent), []byte(in.ThreadID)}
		for _, p := range parts {
			all = append(all, []byte(p))
		}
		return state.Hash(all...)[:32]
	}
	b := toolBranch{
		Kind: "subagent", ID: "br_" + id("branch", t.ID(), s.o.Name, nth), Name: s.o.Name, Policy: s.o.Branch.String(),
		Visibility: "hidden",
		Parent:     t.Path(), ToolCallID: c.ID, query: query, memo: "ran/" + s.o.Name + "/" + nth,
	}
	if s.o.Show || s.o.Branch == tools.BranchParent {
		b.Visibility = "shown"
	}
	if s.o.Branch == tools.BranchSession {
		b.SessionID, b.Query = "ses_"+id("session", t.Path(), s.o.Name), query
	}
	return b
}

// result is the result for the model and the client.
func (s *specialist) result(status string, b toolBranch, text string) tools.Result {
	r := tools.Text(text)
	r.Metadata = agui.Metadata{}
	maps.Copy(r.Metadata, withoutReserved(s.o.Metadata))
	about, err := json.Marshal(b)
	if err != nil {
		return r // strings
	}
	r.Metadata[subAgentMeta+"Status"], r.Metadata[subAgentMeta] = json.RawMessage(`"`+status+`"`), about
	return r
}

// exchanges are the queries of a session and their answers before the call. They are found where calls are shown: in
// the conversation of the agent that calls, or, for calls that people approve of, in the one that people see.
func (s *specialist) exchanges(t *Turn, c ToolCall, session string) []Message {
	all := messages(t.run)
	if t.run != t.x.Run {
		all = slices.Concat(messages(t.x.Run), all)
	}
	said := []Message{}
	for _, m := range all {
		if slices.ContainsFunc(m.ToolCalls, func(o agui.ToolCall) bool { return o.ID == c.ID }) {
			break // what the same reply called for works at the same time
		}
		b, ok := answered(m)
		if !ok || b.SessionID != session {
			continue
		}
		said = append(said,
			Message{ID: m.ID + "/query", Role: agui.RoleUser, Content: agui.TextContent(b.Query)},
			Message{ID: m.ID, Role: agui.RoleAssistant, Name: s.o.Name, Content: agui.TextContent(m.Content.Text())})
	}
	return said
}

// answered is the branch of a specialist that m is the answer of.
func answered(m Message) (b toolBranch, ok bool) {
	if m.Role != agui.RoleTool || string(m.Metadata[subAgentMeta+"Status"]) != `"completed"` {
		return b, false
	}
	err := json.Unmarshal(m.Metadata[subAgentMeta], &b)
	return b, err == nil && b.SessionID != ""
}

func (a *LLM) toolAgents() []Participant {
	var parts []Participant
	for i := range a.Tools {
		if t := &a.Tools[i]; t.agent != nil {
			parts = append(parts, Participant{Name: t.Name, Description: t.Description, Agent: t.agent})
		}
	}
	return parts
}

// callNumber says which call of its tool in the turn call i of s is, from 1: the same whenever the turn is entered.
func (r *llmRun) callNumber(s *llmRound, i int) int {
	name, n := r.tools.toolName(s.reply.Calls[i].Name), 1
	for _, round := range r.rounds[:s.place+1] {
		for j, c := range round.reply.Calls {
			if (round != s || j < i) && r.tools.toolName(c.Name) == name {
				n++
			}
		}
	}
	return n
}
