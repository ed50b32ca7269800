package groupchat_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// The document in the state follows what the model writes, before the tool is called.
func ExamplePrediction() {
	asked := false
	m := model.Func(func(_ context.Context, _ model.Request, on model.Deltas) (model.Reply, error) {
		if asked {
			return model.Reply{Text: "It is written."}, nil
		}
		asked = true
		arguments := ""
		for _, piece := range []string{`{"doc`, `ument":"Once upon a time, `, `there lived a dragon `, `named Atlantis."`, `}`} {
			arguments += piece
			if err := on.Call(0, "write", piece); err != nil {
				return model.Reply{}, err
			}
		}
		return model.Reply{Calls: []model.Call{{Name: "write", Arguments: arguments}}, Finish: "tool_calls"}, nil
	})
	agent := &groupchat.LLM{
		Model: m,
		Tools: []groupchat.Tool{{
			Name: "write", Parameters: json.RawMessage(`{"type":"object","properties":{"document":{"type":"string"}}}`),
			Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
				return tools.Text("ok"), nil
			},
		}},
		Predict: []groupchat.Prediction{{Tool: "write", Argument: "document", Path: "/document"}},
	}
	th := thread.New(agent, thread.Options{Events: func(e agui.Event) error {
		switch e := e.(type) {
		case *agui.StateSnapshot: // shorter than a delta, because nothing else is in the state
			fmt.Println(string(e.Snapshot))
		case *agui.ToolCallResult:
			fmt.Println("result:", e.Content.Text())
		}
		return nil
	}})
	if _, err := th.Say(context.Background(), "Write about a dragon."); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {}
	// {"document":"Once upon a time, "}
	// {"document":"Once upon a time, there lived a dragon named Atlantis."}
	// result: ok
	// {"document":"Once upon a time, there lived a dragon named Atlantis."}
}
