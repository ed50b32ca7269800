package groupchat_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestPredictionsOutliveTakeovers wherever the process dies: the state is the same in the end, and the tool has worked
// once.
func TestPredictionsOutliveTakeovers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[bool]string{true: `{"document":"new"}`, false: `{"document":"old"}`} {
		calls := 0
		build := func(t modeltest.T) *groupchattest.Thread {
			calls = 0
			write := groupchat.Tool{
				Name: "write", Approve: tools.ApproveAlways, Parameters: json.RawMessage(`{"type":"object","properties":{"document":{"type":"string"}}}`),
				Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
					calls++
					return tools.Text("written"), nil
				},
			}
			m := modeltest.New(t, modeltest.Calls("write", `{"document":"new"}`), modeltest.Text("Done."))
			agent := &groupchat.LLM{Model: m, Tools: []groupchat.Tool{write}, Predict: []groupchat.Prediction{{Tool: "write", Argument: "document", Path: "/document"}}}
			return groupchattest.NewThread(t, agent, groupchattest.Options{Options: thread.Options{State: json.RawMessage(`{"document":"old"}`)}})
		}
		places := groupchattest.EachTakeover(t, build, func(th *groupchattest.Thread) {
			run := th.Say("Write.")
			if string(run.State) != `{"document":"new"}` {
				t.Errorf("while a person decides the state is %s", run.State)
			}
			if answer {
				run = th.Approve("write")
			} else {
				run = th.Reject("write")
			}
			if string(run.State) != want || run.Text != "Done." {
				t.Errorf("approved %v: the state is %s, said %q; want %s", answer, run.State, run.Text, want)
			}
		})
		if wantCalls := map[bool]int{true: 1}[answer]; places < 3 || calls != wantCalls {
			t.Errorf("approved %v: %d places, %d calls, want %d", answer, places, calls, wantCalls)
		}
	}
}
