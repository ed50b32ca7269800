package teamfile

import (
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// The words of approve.
const (
	approveAlways = "always"
	approveNever  = "never"
)

// A toolList collects the tools of one agent.
type toolList struct {
	agent       *groupchat.LLM
	ownApproval []bool   // of each tool: whether its entry has approve
	serverNames []string // of servers' tools in only, with and without the prefix, and of the program's tools
	designers   []surfaceTool
	hasUnknown  bool // there are tools with names that only their server knows
}

// tools reads the tools of an agent of type llm, and which of them need a person's approval.
// It returns those that design surfaces.
func (b *builder) tools(f *Fields, a *groupchat.LLM) []surfaceTool {
	c := &toolList{agent: a}
	before := len(b.problems)
	for _, item := range f.Take("tools").List("tools") {
		b.tool(item, c)
	}
	if len(a.Sources) > 0 && b.current != nil {
		b.team.Parts.Agents = append(b.team.Parts.Agents, AgentPart{b.current.name, a.CheckTools})
	}
	c.hasUnknown = c.hasUnknown || len(b.problems) > before // perhaps a tool with a mistake was meant
	a.Approve.Remember = c.remember(f.Take("remember"))
	n := f.Take("approve")
	switch {
	case n == nil:
		return c.designers
	case n.IsList():
		c.approveOf(n)
	case n.OneOf(approveAlways, approveNever) == approveAlways:
		if c.empty() {
			n.Bad("there are no tools whose calls could be asked about; give the agent tools, or remove approve")
		}
		a.Approve.All = true
		return c.designers
	}
	a.Approve.Never = true
	for i := range a.Tools {
		if !c.ownApproval[i] {
			a.Tools[i].Approve = tools.ApproveNever // unless approve names it
		}
	}
	return c.designers
}

// empty reports whether the agent has no tools.
func (c *toolList) empty() bool { return len(c.agent.Tools)+len(c.agent.Sources) == 0 && !c.hasUnknown }

// remember reads for which later calls a person may approve with an answer.
func (c *toolList) remember(n *Value) (scopes []state.ApprovalScope) {
	if c.empty() {
		n.Bad("there are no tools whose approvals could be remembered; give the agent tools, or remove remember")
	}
	for _, item := range n.List("remember") {
		switch scope := oneOf(item, state.ApprovalThread, state.ApprovalPrincipal); {
		case scope == "":
		case slices.Contains(scopes, scope):
			item.Bad("%s is there twice; remove one", scope)
		default:
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// approveOf reads the names of the tools that need a person's approval.
func (c *toolList) approveOf(n *Value) {
	const empty = "no tool is named; write `approve: never`, or name the tools that a person has to approve of"
	for _, item := range n.itemsOf("approve", empty) {
		name := item.Text()
		if !c.hasUnknown && !c.has(name) && !slices.Contains(c.serverNames, name) {
			known := slices.Clone(c.serverNames)
			for i := range c.agent.Tools {
				known = append(known, c.agent.Tools[i].Name)
			}
			item.Bad("%s is no tool of this agent%s; name one of its tools, or remove it", item.quoted(),
				item.guess(known))
		}
		c.agent.Approve.Tools = append(c.agent.Approve.Tools, name)
	}
}

// has reports whether the agent has a tool of this name.
func (c *toolList) has(name string) bool {
	return slices.ContainsFunc(c.agent.Tools, func(t groupchat.Tool) bool { return t.Name == name })
}

// tool reads one entry of tools. Its keys tell its kind.
func (b *builder) tool(n *Value, c *toolList) {
	n = b.longTool(n)
	f := n.Fields("a tool of a model", "")
	approve := toolApproval(f.Take("approve"))
	var t groupchat.Tool
	agentOrServer := f.has("agent", "mcp")
	switch {
	case f.has("tool"):
		f.what, f.kind = "an entry for a tool of the program", "a tool of the program"
		t = b.programTool(f)
	case f.has("http") && !agentOrServer:
		f.what, f.kind = "an entry for a tool whose calls are requests", "an HTTP tool"
		t = b.httpTool(f)
	case f.has(writtenKeys...) && !agentOrServer:
		f.what, f.kind = "an entry for a tool that the file describes", "a tool of the file"
		t = b.writtenTool(n, f)
	case f.has("a2ui"):
		f.what, f.kind = "an entry for a tool that designs surfaces", "a tool for surfaces"
		t = b.designTool(f, c)
	default:
		if server := f.Take("mcp"); server != nil {
			f.what, f.kind = "an entry for the tools of a server", "the tools of a server"
			b.serverTools(f, server, approve, c)
			f.End()
			return
		}
		t = b.agentTool(f)
	}
	f.End()
	if f.ok() {
		c.add(n, t, approve)
	}
}

// add gives the agent a tool.
func (c *toolList) add(n *Value, t groupchat.Tool, approve tools.Approval) {
	switch {
	case c.has(t.Name):
		n.Bad("there is another tool of this name; give one another with `name: …`")
		return
	case approve != tools.ApproveByAgent:
		t.Approve = approve
	}
	if t.SourceName != "" {
		c.serverNames = append(c.serverNames, t.SourceName)
	}
	c.agent.Tools = append(c.agent.Tools, t)
	c.ownApproval = append(c.ownApproval, approve != tools.ApproveByAgent)
}

// toolApproval reads whether calls of one entry's tools need a person's approval. Without n the agent's key decides.
func toolApproval(n *Value) tools.Approval {
	if n.IsList() {
		n.fail("for one entry approve is always or never; name the tools in the agent's own `approve: [ names ]`")
	}
	switch n.OneOf(approveAlways, approveNever) {
	case approveAlways:
		return tools.ApproveAlways
	case approveNever:
		return tools.ApproveNever
	default:
		return tools.ApproveByAgent
	}
}

// agentTool reads a tool that is an agent.
func (b *builder) agentTool(f *Fields) groupchat.Tool {
	reference := f.Need("agent", "name an agent of this file or a participant of this team, who takes a query and "+
		"answers it; "+
		"or write `mcp:` and a server, `tool:` and a tool of the program, or `steps:` for a tool of the file")
	o := groupchat.AsToolOptions{
		Name:        f.Take("name").Text(),
		Description: f.Take("description").Text(),
		Scope:       b.scope(f),
		Writes:      f.Take("writes").pointers("writes"),
		Retries:     f.Take("retries").Count(0),
		Branch: orDefault(f.Take("conversation"), tools.BranchFork.String(),
			tools.BranchFresh, tools.BranchParent, tools.BranchSession),
	}
	o.Inherit = inherits(f.Take("history"), o.Branch)
	o.Show = f.Take("show").on()
	if reference == nil {
		return groupchat.Tool{}
	}
	s := b.openShare(f, o.Scope)
	s.what = fmt.Sprintf("tool %q", reference.text)
	p := b.participantOrAgent(reference, o.Scope.Kind)
	b.closeShare(s, &o.Scope, nil)
	if o.Name == "" {
		o.Name = reference.Text()
	}
	if o.Description == "" {
		o.Description = p.Description
	}
	// A participant that is a tool has the same limits as in its turns.
	if !f.has("scope", "inputs", "outputs") {
		o.Scope = p.Scope
	}
	if !f.has("writes") {
		o.Writes = p.Writes
	}
	if p.Agent != nil && o.Description == "" {
		reference.Bad("the model has to be told what this is for; add `description: …`, here or to the agent")
	}
	return groupchat.AsTool(p.Agent, o)
}

// A member is a participant of a team, which others of the team may have as a tool.
type member struct {
	node        *Value
	participant groupchat.Participant
	begun, done bool
}

// membersOf returns the participants that items describe, by name. Those without a plain text as their name are left
// out.
func membersOf(items []*Value) map[string]*member {
	all := map[string]*member{}
	for _, item := range items {
		if name := item.member("name"); name.isScalar() {
			all[name.text] = &member{node: item}
		}
	}
	return all
}

// participantOrAgent returns the participant of the team that n names, with its limits, or else the agent of this file,
// for a scope of that kind.
func (b *builder) participantOrAgent(n *Value, kind groupchat.ScopeKind) (p groupchat.Participant) {
	c := b.members[n.text]
	if n.kind != scalarNode || c == nil {
		p.Agent = b.reference(n, &p, kind)
		return p
	}
	switch {
	case c.begun && !c.done:
		b.badCircle(n, n.text)
	case !c.begun:
		c.begun = true
		b.reading = append(b.reading, n.text)
		c.participant, _ = b.participant(c.node, nil)
		b.reading = b.reading[:len(b.reading)-1]
		c.done = true
	}
	return c.participant
}
