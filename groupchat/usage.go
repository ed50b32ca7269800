package groupchat

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// Usage is what the models of the run have used so far, per provider and model, with what earlier attempts at it and agents on other
// servers have used. Calls that are under way are not in it. It is safe for concurrent use.
func (t *Turn) Usage() []agui.TokenUsage {
	t.x.mu.Lock()
	usage := t.x.Usage
	t.x.mu.Unlock()
	if usage == nil {
		return nil
	}
	return usage.Total()
}

// ThreadUsage is [Turn.Usage] with what the thread's earlier runs have used.
func (t *Turn) ThreadUsage() []agui.TokenUsage {
	return state.AddUsage(t.x.Input.ThreadUsage, t.Usage())
}
