package teamfile

import (
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
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
	serverNames []string // names of servers' tools in only, with the prefix and without, and those that the program has for its tools
	designers   []surfaceTool
	hasUnknown  bool // there are tools whose names only their server knows
}

// tools reads the tools of an agent of type llm, and which of them need a person's approval.
// It returns those that design surfaces.
func (b *builder) tools(f *fields, a *groupchat.LLM) []surfaceTool {
	c := &toolList{agent: a}
	before := len(b.problems)
	for _, item := range b.list(f.take("tools"), "tools") {
		b.tool(item, c)
	}
	if len(a.Sources) > 0 && b.current != nil {
		b.team.Parts.Agents = append(b.team.Parts.Agents, AgentPart{b.current.name, a.CheckTools})
	}
	c.hasUnknown = c.hasUnknown || len(b.problems) > before // a tool with a mistake may have been meant
	a.Approve.Remember = b.remember(f.take("remember"), c)
	n := f.take("approve")
	switch {
	case n == nil:
		return c.designers
	case n.kind == listNode && len(n.items) == 0:
		b.bad(n, "no tool is named; write `approve: never`, or name the tools that a person has to approve of")
	case n.kind == listNode:
		b.approveOf(n.items, c)
	case b.oneOf(n, approveAlways, approveNever) == approveAlways:
		if len(a.Tools)+len(a.Sources) == 0 && !c.hasUnknown {
			b.bad(n, "there are no tools whose calls could be asked about; give the agent tools, or remove approve")
		}
		a.Approve.All = true
		return c.designers
	}
	a.Approve.Never = true
	for i := range a.Tools {
		if !c.ownApproval[i] {
			a.Tools[i].Approve = groupchat.ApproveNever // unless approve names it
		}
	}
	return c.designers
}

// remember reads for which later calls a person may approve with an answer.
func (b *builder) remember(n *node, c *toolList) []groupchat.ApprovalScope {
	if n == nil {
		return nil
	}
	if len(c.agent.Tools)+len(c.agent.Sources) == 0 && !c.hasUnknown {
		b.bad(n, "there are no tools whose approvals could be remembered; give the agent tools, or remove remember")
	}
	var scopes []groupchat.ApprovalScope
	for _, item := range b.list(n, "remember") {
		switch scope := groupchat.ApprovalScope(b.oneOf(item, string(state.ApprovalThread), string(state.ApprovalPrincipal))); {
		case scope == "":
		case slices.Contains(scopes, scope):
			b.bad(item, "%s is there twice; remove one", scope)
		default:
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// approveOf reads the names of the tools that need a person's approval.
func (b *builder) approveOf(items []*node, c *toolList) {
	for _, item := range items {
		before := len(b.problems)
		name, quotable := b.word(item)
		switch {
		case len(b.problems) > before:
		case c.hasUnknown, c.has(name), slices.Contains(c.serverNames, name):
			c.agent.Approve.Tools = append(c.agent.Approve.Tools, name)
		case quotable:
			b.bad(item, "%q is no tool of this agent; name one of its tools, or remove it", name)
		default:
			b.bad(item, "the value from the environment is no tool of this agent; name one of its tools")
		}
	}
}

// has reports whether an agent is a tool of this name.
func (c *toolList) has(name string) bool {
	return slices.ContainsFunc(c.agent.Tools, func(t groupchat.Tool) bool { return t.Name == name })
}

// tool reads one entry of tools.
func (b *builder) tool(n *node, c *toolList) {
	before := len(b.problems)
	f := b.fields(n, "a tool of a model")
	approve := b.toolApproval(f.take("approve"))
	if f.has("tool") {
		f.what = "an entry for a tool of the program"
		f.kind = "a tool of the program"
		b.addTool(n, b.programTool(f), approve, before, f, c)
		return
	}
	if f.has("http") && !f.has("agent", "mcp") {
		f.what = "an entry for a tool whose calls are requests"
		f.kind = "an HTTP tool"
		b.addTool(n, b.httpTool(f), approve, before, f, c)
		return
	}
	if f.has(writtenKeys...) && !f.has("agent", "mcp") {
		f.what = "an entry for a tool that the file describes"
		f.kind = "a tool of the file"
		b.addTool(n, b.writtenTool(n, f), approve, before, f, c)
		return
	}
	if f.has("a2ui") {
		f.what = "an entry for a tool that designs surfaces"
		f.kind = "a tool for surfaces"
		b.addTool(n, b.designTool(f, c), approve, before, f, c)
		return
	}
	if server := f.take("mcp"); server != nil {
		f.what = "an entry for the tools of a server"
		f.kind = "the tools of a server"
		b.serverTools(f, server, approve, c)
		f.end()
		return
	}
	b.addTool(n, b.agentTool(f), approve, before, f, c)
}

// addTool ends the reading of an entry that is one tool, and gives the agent the tool unless there were problems: more than before.
func (b *builder) addTool(n *node, t groupchat.Tool, approve groupchat.ToolApproval, before int, f *fields, c *toolList) {
	f.end()
	switch {
	case len(b.problems) > before:
		return
	case c.has(t.Name):
		b.bad(n, "there is another tool of this name; give one another with `name: …`")
		return
	case approve != groupchat.ApproveByAgent:
		t.Approve = approve
	}
	if t.SourceName != "" {
		c.serverNames = append(c.serverNames, t.SourceName)
	}
	c.agent.Tools = append(c.agent.Tools, t)
	c.ownApproval = append(c.ownApproval, approve != groupchat.ApproveByAgent)
}

// toolApproval reads whether calls of one entry's tools need a person's approval. Without n the agent's own key decides.
func (b *builder) toolApproval(n *node) groupchat.ToolApproval {
	if n != nil && n.kind == listNode {
		b.bad(n, "for one entry approve is always or never; name the tools in the agent's own `approve: [ names ]`")
		return groupchat.ApproveByAgent
	}
	switch b.oneOf(n, approveAlways, approveNever) {
	case approveAlways:
		return groupchat.ApproveAlways
	case approveNever:
		return groupchat.ApproveNever
	default:
		return groupchat.ApproveByAgent
	}
}

// agentTool reads a tool that is an agent.
func (b *builder) agentTool(f *fields) groupchat.Tool {
	reference := f.need("agent", "name an agent of this file or a participant of this team, who takes a query and answers it; or write `mcp:` and a server, `tool:` and a tool of the program, or `steps:` for a tool of the file")
	o := groupchat.AsToolOptions{
		Name:        b.text(f.take("name")),
		Description: b.text(f.take("description")),
		Scope:       b.scope(f),
		Writes:      b.pointers(f.take("writes"), "writes"),
		Retries:     b.count(f.take("retries"), 0),
	}
	switch b.oneOf(f.take("conversation"), groupchat.BranchFork.String(), string(groupchat.BranchFresh), string(groupchat.BranchParent), string(groupchat.BranchSession)) {
	case string(groupchat.BranchFresh):
		o.Branch = groupchat.BranchFresh
	case string(groupchat.BranchParent):
		o.Branch = groupchat.BranchParent
	case string(groupchat.BranchSession):
		o.Branch = groupchat.BranchSession
	}
	o.Inherit = b.inherits(f.take("history"), o.Branch)
	if on := b.flag(f.take("show")); on != nil {
		o.Show = *on
	}
	if reference == nil {
		return groupchat.Tool{}
	}
	s := b.openShare(f, o.Scope)
	s.what = fmt.Sprintf("tool %q", reference.text)
	p := b.participantOrAgent(reference, o.Scope.Kind)
	b.closeShare(s, &o.Scope, nil)
	if o.Name == "" {
		o.Name = b.text(reference)
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
		b.bad(reference, "the model has to be told what this is for; add `description: …`, here or to the agent")
	}
	return groupchat.AsTool(p.Agent, o)
}

// A member is a participant of a team, which others of the team may have as a tool.
type member struct {
	node        *node
	participant groupchat.Participant
	begun, done bool
}

// membersOf returns the participants that items describe, by name. Those whose name is not a plain text are left out.
func membersOf(items []*node) map[string]*member {
	all := map[string]*member{}
	for _, item := range items {
		for i, key := range item.keys {
			if key.text == "name" && item.items[i].kind == scalarNode {
				all[item.items[i].text] = &member{node: item}
			}
		}
	}
	return all
}

// participantOrAgent returns the participant of the team that n names, with its limits, or else the agent of this file, for a scope of
// that kind.
func (b *builder) participantOrAgent(n *node, kind groupchat.ScopeKind) (p groupchat.Participant) {
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
