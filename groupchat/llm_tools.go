package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

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
		asks, ok := source.(interface{ Interrupts(agent Approvals) bool })
		if a.Approve.All || len(a.Approve.Tools) > 0 || ok && asks.Interrupts(a.Approve) {
			return true
		}
	}
	return false
}
