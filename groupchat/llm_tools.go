package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// llmTools are the tools a model may call in one turn.
type llmTools struct {
	list   []model.Tool
	byName map[string]offer // by the name the model knows
}

// An offer is a tool: the agent's own, a way to hand over, or, with neither, one of the client's.
type offer struct {
	name    string
	tool    *Tool
	handoff string // the participant
}

// offerTools are the tools of this turn. Of several with one name the first counts: the client cannot replace the
// agent's.
func (r *llmRun) offerTools(ctx context.Context) llmTools {
	tools := llmTools{byName: map[string]offer{}}
	add := func(o offer, description string, parameters json.RawMessage) {
		name := model.ToolName(o.name)
		if _, taken := tools.byName[name]; taken {
			r.t.x.Log.Warn("groupchat: a tool's name is taken", "turn", r.t.Path(), "tool", o.name)
			return
		}
		tools.byName[name] = o
		tools.list = append(tools.list, model.Tool{Name: name, Description: description, Parameters: parameters})
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		add(offer{name: t.Name, tool: t}, t.Description, t.Parameters)
	}
	for _, t := range r.sourceTools(ctx) {
		add(offer{name: t.Name, tool: t}, t.Description, t.Parameters)
	}
	for _, p := range r.t.Handoffs() {
		add(offer{name: "handoff_to_" + p.Name, handoff: p.Name},
			"Hands the conversation over to "+p.Name+". "+p.Description, nil)
	}
	if r.t.finishes() {
		add(offer{name: "finish", handoff: Done}, "Ends the work: nothing is left to do. Say first what came of it.",
			nil)
	}
	if r.readsResults(tools) {
		add(offer{name: readResult, tool: r.resultTool()},
			"Reads on in the result of a call that was told you in part, or searches in it.", readResultSchema)
		r.reads = true
	}
	if r.NoFrontendTools {
		return tools
	}
	for _, t := range r.t.Input().Tools {
		if slices.Contains(r.WithoutTools, t.Name) {
			continue
		}
		add(offer{name: t.Name}, t.Description, t.Parameters)
	}
	return tools
}

// toolName is the name of a tool that the model calls by name.
func (t llmTools) toolName(name string) string {
	if o, ok := t.byName[name]; ok {
		return o.name
	}
	return name
}

// sourceTools are the tools of the agent's sources, as they are now. It finds out whether they are all that approvals
// name.
func (r *llmRun) sourceTools(ctx context.Context) []*Tool {
	var found []*Tool
	for i, source := range r.Sources {
		tools, err := toolsOf(ctx, source, i)
		if err != nil {
			r.away = true
			if needed, ok := source.(interface{ Required() bool }); ok && needed.Required() {
				r.lacks = errors.Join(r.lacks, err)
			}
			r.t.x.Log.WarnContext(ctx, "groupchat: tools are missing", "turn", r.t.ID(), "error", err)
		}
		for _, t := range tools {
			if err := t.Validate(); err != nil {
				r.t.x.Log.WarnContext(ctx, "groupchat: a tool is left out", "turn", r.t.ID(), "error", err)
				continue
			}
			found = append(found, t)
		}
	}
	r.decideApprovals(ctx, found)
	return r.bindNames(ctx, found)
}

// sourcesAsk reports whether a person may have to approve of a call of a tool that is only known later.
func (a *LLM) sourcesAsk() bool {
	if len(a.Prepare) > 0 && (a.Approve.All || len(a.Approve.Tools) > 0) {
		return true
	}
	for _, source := range a.Sources {
		asks, ok := source.(interface {
			Interrupts(agent tools.Approvals) bool
		})
		if a.Approve.All || len(a.Approve.Tools) > 0 || ok && asks.Interrupts(a.Approve) {
			return true
		}
	}
	return false
}

// origin identifies the server of a remote agent, and as whom it is asked.
func (r *Remote) origin() string {
	parts := []string{r.o.URL, r.o.Agent, fmt.Sprintf("%T", r.client), r.client.String()}
	for _, name := range slices.Sorted(maps.Keys(r.o.Headers)) {
		parts = append(append(parts, name), r.o.Headers[name]...)
	}
	return tools.Origin(parts...)
}

// originOf identifies the servers of the remote agents that a is made of; empty if there are none.
func originOf(a Agent, depth int) string {
	if r, ok := unwrap(a).(*Remote); ok && r != nil && r.client != nil {
		return r.origin()
	}
	var parts []string
	for _, p := range partsOf(unwrap(a)) {
		if depth == maxDepth {
			break
		}
		if origin := originOf(p.Agent, depth+1); origin != "" {
			parts = append(parts, p.Name, origin)
		}
	}
	if parts == nil {
		return ""
	}
	return tools.Origin(parts...)
}

// sourceOrigin identifies a source: by what it says of itself, or by its place.
func sourceOrigin(s ToolSource, i int) string {
	if known, ok := s.(interface{ Origin() string }); ok {
		return known.Origin()
	}
	return tools.Origin("source", strconv.Itoa(i))
}

// clashes are the names, as models know them, of tools that several origins have. Names of the agent's own tools are of
// the origin "".
func (a *LLM) clashes(found []*Tool) map[string]bool {
	first, clashes := map[string]string{}, map[string]bool{}
	add := func(name, origin string) {
		name = model.ToolName(name)
		if had, ok := first[name]; ok && had != origin {
			clashes[name] = true
		}
		first[name] = origin
	}
	for i := range a.Tools {
		add(a.Tools[i].Name, "")
	}
	for i, s := range a.Sources {
		if known, ok := s.(interface{ Names() []string }); ok {
			for _, name := range known.Names() {
				add(name, sourceOrigin(s, i))
			}
		}
	}
	for _, t := range found {
		add(t.Name, t.source)
	}
	return clashes
}

// CheckTools asks the agent's sources for their tools. It returns names that several sources have, and names in Approve
// that no tool has, as problems. The error is that of a source that cannot be reached.
func (a *LLM) CheckTools(ctx context.Context) (problems []string, err error) {
	var found []*Tool
	for i, s := range a.Sources {
		tools, err := toolsOf(ctx, s, i)
		if err != nil {
			return nil, err
		}
		found = append(found, tools...)
	}
	for _, name := range slices.Sorted(maps.Keys(a.clashes(found))) {
		problems = append(problems, fmt.Sprintf("several sources have a tool %q", name))
	}
	for _, name := range a.undecided(found) {
		problems = append(problems, fmt.Sprintf("approval of %q, which is no tool", name))
	}
	return problems, nil
}

// toolsOf are the tools of source i, each with its origin.
func toolsOf(ctx context.Context, s ToolSource, i int) (found []*Tool, err error) {
	var tools []Tool
	err = failure.Protect(func() (err error) {
		tools, err = s.Tools(ctx)
		return err
	})
	for _, t := range tools {
		t.source = sourceOrigin(s, i)
		if t.Origin == "" {
			t.Origin = t.source
		}
		found = append(found, &t)
	}
	return found, err
}

// bindNames removes tools with ambiguous names: several sources have the name, or in this thread it belongs to another
// source of the agent that cannot be reached now.
func (r *llmRun) bindNames(ctx context.Context, found []*Tool) []*Tool {
	a := r.LLM
	if r.unprepared != nil {
		a = r.unprepared // a name stays the agent's own where a provider has taken the tool away
	}
	clashes, key := a.clashes(found), "tools/"+r.t.identity()
	bound, sources := map[string]string{}, map[string]bool{}
	_ = exact.Unmarshal(r.t.x.Notes.Get(key), &bound) // without a note every name is free
	for i, s := range a.Sources {
		sources[sourceOrigin(s, i)] = true
	}
	out := slices.DeleteFunc(slices.Clone(found), func(t *Tool) bool {
		name := model.ToolName(t.Name)
		owner, ok := bound[name]
		if clashes[name] || ok && owner != t.source && sources[owner] {
			r.t.x.Log.WarnContext(ctx, "groupchat: a tool is withheld, because its name is that of another source's",
				"turn", r.t.ID(), "tool", t.Name)
			return true
		}
		bound[name] = t.source
		return false
	})
	if raw, err := json.Marshal(bound); err == nil && len(bound) > 0 {
		r.t.x.Notes.Set(key, raw)
	}
	return out
}
