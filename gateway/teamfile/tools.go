package teamfile

import (
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// The words of approve.
const (
	approveAlways = "always"
	approveNever  = "never"
)

// A toolList is what one agent's tools add up to while they are read.
type toolList struct {
	agent *groupchat.LLM
	own   []bool   // of each tool: its entry says itself whether people have to approve of it
	named []string // tools of servers that are known by name, with the prefix and without
	open  bool     // there are others, which nobody knows before the server is asked
}

// tools reads the tools of an agent of type llm, and of which of them people have to approve.
func (b *builder) tools(f *fields, a *groupchat.LLM) {
	c := &toolList{agent: a}
	before := len(b.problems)
	for _, item := range b.list(f.take("tools"), "tools") {
		b.tool(item, c)
	}
	c.open = c.open || len(b.problems) > before // somebody was meant who is not known
	n := f.take("approve")
	switch {
	case n == nil:
		return
	case n.kind == listNode && len(n.items) == 0:
		b.bad(n, "no tool is named; write `approve: never`, or name the tools that a person has to approve of")
	case n.kind == listNode:
		b.approveOf(n.items, c)
	case b.oneOf(n, approveAlways, approveNever) == approveAlways:
		if len(a.Tools)+len(a.Sources) == 0 && !c.open {
			b.bad(n, "there are no tools whose calls could be asked about; give the agent tools, or remove approve")
		}
		a.Approve.All = true
		return
	}
	for i := range a.Tools {
		if !c.own[i] {
			a.Tools[i].Approve = groupchat.ApproveNever // unless it is named
		}
	}
}

// approveOf reads the names of the tools that people have to approve of.
func (b *builder) approveOf(items []*node, c *toolList) {
	for _, item := range items {
		before := len(b.problems)
		name, quotable := b.word(item)
		switch {
		case len(b.problems) > before:
		case c.open, c.has(name), slices.Contains(c.named, name):
			c.agent.Approve.Tools = append(c.agent.Approve.Tools, name)
		case quotable:
			b.bad(item, "%q is no tool of this agent; name one of its tools, or remove it", name)
		default:
			b.bad(item, "the value from the environment is no tool of this agent; name one of its tools")
		}
	}
}

// has reports whether an agent is a tool under name.
func (c *toolList) has(name string) bool {
	return slices.ContainsFunc(c.agent.Tools, func(t groupchat.Tool) bool { return t.Name == name })
}

// tool reads one entry of tools.
func (b *builder) tool(n *node, c *toolList) {
	before := len(b.problems)
	f := b.fields(n, "a tool of a model")
	approve := b.toolApproval(f.take("approve"))
	if server := f.take("mcp"); server != nil {
		f.what = "an entry for the tools of a server"
		f.kind = "the tools of a server"
		b.serverTools(f, server, approve, c)
		f.end()
		return
	}
	t := b.specialist(f)
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
	c.agent.Tools = append(c.agent.Tools, t)
	c.own = append(c.own, approve != groupchat.ApproveByAgent)
}

// toolApproval reads whether a person has to approve of calls of one entry's tools; without n that is for the agent to say.
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

// specialist reads a tool that is an agent of this file.
func (b *builder) specialist(f *fields) groupchat.Tool {
	reference := f.need("agent", "name an agent of this file or a participant of this team, who takes a query and answers it; or write `mcp:` and a server")
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
	if on := b.flag(f.take("show")); on != nil {
		o.Show = *on
	}
	if reference == nil {
		return groupchat.Tool{}
	}
	p := b.staff(reference, o.Scope.Kind)
	if o.Name == "" {
		o.Name = b.text(reference)
	}
	if o.Description == "" {
		o.Description = p.Description
	}
	// What a participant may do it may do as a tool, and no more.
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

// A member is a participant of a team, for those in it who have it as a tool.
type member struct {
	node        *node
	participant groupchat.Participant
	begun, done bool
}

// colleaguesOf are the participants that items describe, by name, as far as the names are plain.
func colleaguesOf(items []*node) map[string]*member {
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

// staff returns whom n names: a participant of the team that is being read, with all that limits it there, or else an agent of this
// file, which works on the state that kind says.
func (b *builder) staff(n *node, kind groupchat.ScopeKind) (p groupchat.Participant) {
	c := b.colleagues[n.text]
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
