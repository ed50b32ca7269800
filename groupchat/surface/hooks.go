package surface

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
)

// Hooks returns hooks that make activities of surfaces. They belong closest to the agent, so that what other hooks do
// with what people see holds for surfaces too.
func Hooks(o Options) groupchat.Hooks {
	return groupchat.Hooks{Name: "a2ui", Stream: func(t *groupchat.Turn) run.Filter {
		w := o.watcher(t)
		return func(e agui.Event, next run.Emit) error {
			before, after := w.Next(e)
			if err := sendAll(before, e, next); err != nil {
				return err
			}
			if err := next(e); err != nil {
				return err
			}
			return sendAll(after, e, next)
		}
	}}
}

// sendAll sends activities for the invocation that cause belongs to.
func sendAll(activities []agui.Event, cause agui.Event, next run.Emit) error {
	for _, e := range activities {
		if a, ok := e.(*agui.ActivitySnapshot); ok {
			a.SubagentRunID = agui.SubagentOf(cause)
		}
		if err := next(e); err != nil {
			return err
		}
	}
	return nil
}
