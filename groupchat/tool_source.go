package groupchat

import "context"

// A ToolSource has tools that come and go: those of a server, for example. It is safe for concurrent use.
//
// A source may also have a method Expects(name string) bool, which reports whether it is set up to have a tool of that name, be it
// away or not. Without it a name in [Approvals] that is a tool of a source that is away is one that no tool has.
type ToolSource interface {
	// Tools are those there are now. It is asked when a turn is entered; it may wait, and should not for long. What it
	// returns beside an error counts. The error goes to the log, and the model is told that tools are missing: a source that is away
	// stops nobody.
	Tools(ctx context.Context) ([]Tool, error)
}

// sourced are the tools of the agent's sources, as they are now. It finds out whether they are all that approvals name.
func (r *llmRun) sourced(ctx context.Context) []*Tool {
	var found []*Tool
	for _, source := range r.Sources {
		var tools []Tool
		err := protect(func() (err error) {
			tools, err = source.Tools(ctx)
			return err
		})
		if err != nil {
			r.away = true
			r.t.x.Log.WarnContext(ctx, "groupchat: tools are missing", "turn", r.t.ID(), "error", err)
		}
		for i := range tools {
			if err := tools[i].validate(); err != nil {
				r.t.x.Log.WarnContext(ctx, "groupchat: a tool is left out", "turn", r.t.ID(), "error", err)
				continue
			}
			found = append(found, &tools[i])
		}
	}
	r.decideApprovals(ctx, found)
	return found
}

// sourcesAsk reports whether a person may have to approve of a call of a tool that is only known later.
func (a *LLM) sourcesAsk() bool {
	for _, source := range a.Sources {
		asks, ok := source.(interface{ Interrupts() bool })
		if a.Approve.All || len(a.Approve.Tools) > 0 || ok && asks.Interrupts() {
			return true
		}
	}
	return false
}
