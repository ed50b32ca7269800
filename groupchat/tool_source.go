package groupchat

import "context"

// A ToolSource has tools that come and go: those of a server, for example. It is safe for concurrent use.
type ToolSource interface {
	// Tools are those there are now. It is asked when a turn is entered; it may wait, and should not for long. What it
	// returns beside an error counts, and the error goes to the log: a source that is away stops nobody.
	Tools(ctx context.Context) ([]Tool, error)
}

// sourced are the tools of the agent's sources, as they are now.
func (r *llmRun) sourced(ctx context.Context) []*Tool {
	var found []*Tool
	for _, source := range r.Sources {
		var tools []Tool
		err := protect(func() (err error) {
			tools, err = source.Tools(ctx)
			return err
		})
		if err != nil {
			r.t.x.Log.WarnContext(ctx, "groupchat: tools are away", "turn", r.t.ID(), "error", err)
		}
		for i := range tools {
			if err := tools[i].validate(); err != nil {
				r.t.x.Log.WarnContext(ctx, "groupchat: a tool is left out", "turn", r.t.ID(), "error", err)
				continue
			}
			found = append(found, &tools[i])
		}
	}
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
