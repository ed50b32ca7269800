package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// What would make the readers' view another than the server's is refused, and the run goes on.
func TestAgentsDoNotSendWhatIsTheServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["forger"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			for _, e := range []agui.Event{
				&agui.RunStarted{}, &agui.RunFinished{}, &agui.RunError{Message: "x"},
				&agui.StateSnapshot{Snapshot: json.RawMessage(`{"forged":true}`)},
				&agui.StateDelta{Delta: agui.Patch{{Op: "add", Path: "/forged", Value: json.RawMessage("true")}}},
				&agui.MessagesSnapshot{}, &agui.StepStarted{StepName: "x"}, &agui.StepFinished{StepName: "x"},
				&agui.SubagentStarted{SubagentRunID: "x", Name: "x"}, &agui.SubagentFinished{SubagentRunID: "x"},
				&agui.SubagentError{SubagentRunID: "x", Message: "x"},
			} {
				if err := t.Emit(e); !errors.Is(err, agui.ErrNotEmitted) {
					return errors.New(string(e.EventType()) + " was sent")
				}
			}
			return groupchat.Say(t, "done", "All refused.")
		})
	})
	r := w.post("forger", input("t", "r1", []string{"u1:Hi"}))
	r.finished()
	r.equals(w.shows("t"))
}
