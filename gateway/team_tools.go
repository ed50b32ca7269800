package gateway

import (
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// The words of approve.
const (
	approveAlways = "always"
	approveNever  = "never"
)

// tools reads the tools of an agent of type llm, and of which of them people have to approve.
func (b *teamBuilder) tools(f *teamFields, a *groupchat.LLM) {
	var own []bool // a tool's entry says itself whether people have to approve of it
	before := len(b.problems)
	for _, item := range b.list(f.take("tools"), "tools") {
		t, approve, ok := b.tool(item)
		switch {
		case !ok:
			continue
		case slices.ContainsFunc(a.Tools, func(other groupchat.Tool) bool { return other.Name == t.Name }):
			b.bad(item, "there is another tool of this name; give one another with `name: …`")
			continue
		}
		switch approve {
		case approveAlways:
			t.Approve = groupchat.ApproveAlways
		case approveNever:
			t.Approve = groupchat.ApproveNever
		}
		a.Tools, own = append(a.Tools, t), append(own, approve != "")
	}
	lost := len(b.problems) > before // somebody was meant who is not known
	n := f.take("approve")
	switch {
	case n == nil:
		return
	case n.kind == listNode:
		b.approveOf(n.items, a, lost)
	case b.oneOf(n, approveAlways, approveNever) == approveAlways:
		a.Approve.All = true
		return
	}
	for i := range a.Tools {
		if !own[i] {
			a.Tools[i].Approve = groupchat.ApproveNever // unless it is named
		}
	}
}

// approveOf reads the names of the tools that people have to approve of.
func (b *teamBuilder) approveOf(items []*teamNode, a *groupchat.LLM, lost bool) {
	for _, item := range items {
		before := len(b.problems)
		name, quotable := b.word(item)
		switch {
		case len(b.problems) > before:
		case slices.ContainsFunc(a.Tools, func(t groupchat.Tool) bool { return t.Name == name }):
			a.Approve.Tools = append(a.Approve.Tools, name)
		case lost:
		case quotable:
			b.bad(item, "%q is no tool of this agent; name one of its tools, or remove it", name)
		default:
			b.bad(item, "the value from the environment is no tool of this agent; name one of its tools")
		}
	}
}

// tool reads one entry of tools, and what it says of its approval.
func (b *teamBuilder) tool(n *teamNode) (t groupchat.Tool, approve string, ok bool) {
	before := len(b.problems)
	f := b.fields(n, "a tool of a model")
	approve = b.oneOf(f.take("approve"), approveAlways, approveNever)
	t = b.specialist(f)
	f.end()
	return t, approve, len(b.problems) == before
}

// specialist reads a tool that is an agent of this file.
func (b *teamBuilder) specialist(f *teamFields) groupchat.Tool {
	var p groupchat.Participant
	reference := f.need("agent", "name an agent of this file, which takes a query and answers it")
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
	agent := b.reference(reference, &p)
	if o.Name == "" {
		o.Name = b.text(reference)
	}
	if o.Description == "" {
		o.Description = p.Description
	}
	if agent != nil && o.Description == "" {
		b.bad(reference, "the model has to be told what this is for; add `description: …`, here or to the agent")
	}
	return groupchat.AsTool(agent, o)
}
