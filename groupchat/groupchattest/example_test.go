package groupchattest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// support answers about refunds, which a person has to approve of.
func support(m model.Model, refund func(context.Context, groupchat.ToolCall) (tools.Result, error)) groupchat.Agent {
	return &groupchat.LLM{Model: m, Tools: []groupchat.Tool{{
		Name: "refund", Description: "pays money back", Approve: tools.ApproveAlways, Call: refund,
		Parameters: json.RawMessage(`{"type":"object","properties":{"euros":{"type":"integer"}},"required":["euros"]}`),
	}}}
}

func paid(context.Context, groupchat.ToolCall) (tools.Result, error) {
	return tools.Text("paid"), nil
}

// A printer is what a *testing.T is in a test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func ExampleNewThread() {
	t := printer{} // in a test: its *testing.T
	m := modeltest.New(t,
		modeltest.Calls("refund", `{"euros":20}`),
		modeltest.Text("You have your money back."),
	)
	th := groupchattest.NewThread(t, support(m, paid), groupchattest.Options{})
	run := th.Say("The shoes do not fit.")
	fmt.Println(run.Questions[0].Tool, string(run.Questions[0].Arguments))
	run = th.Approve("refund")
	fmt.Println(run.Text)
	fmt.Println(m.Requests()[1].Last())
	// Output:
	// refund {"euros":20}
	// You have your money back.
	// paid
}

func ExampleDescribe() {
	m := modeltest.New(printer{}, modeltest.Calls("refund", `{"euros":20}`))
	run := groupchattest.NewThread(printer{}, support(m, paid), groupchattest.Options{}).Say("The shoes do not fit.")
	fmt.Print(groupchattest.Describe(run.Events))
	// Output:
	// calls refund {"euros":20}
	// agent asks refund: "May I call refund?"
	// ends: interrupt
}
