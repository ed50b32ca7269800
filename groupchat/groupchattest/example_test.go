package groupchattest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/model"
)

// support answers about refunds, which a person has to approve of.
func support(m model.Model, refund func(context.Context, groupchat.ToolCall) (groupchat.ToolResult, error)) groupchat.Agent {
	return &groupchat.LLM{Model: m, Tools: []groupchat.Tool{{
		Name: "refund", Description: "pays money back", Approve: groupchat.ApproveAlways, Call: refund,
		Parameters: json.RawMessage(`{"type":"object","properties":{"euros":{"type":"integer"}},"required":["euros"]}`),
	}}}
}

func paid(context.Context, groupchat.ToolCall) (groupchat.ToolResult, error) {
	return groupchat.TextResult("paid"), nil
}

// A printer is what a *testing.T is in a test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func ExampleNewThread() {
	t := printer{} // in a test: its *testing.T
	m := groupchattest.NewModel(t,
		groupchattest.Calls("refund", `{"euros":20}`),
		groupchattest.Text("You have your money back."),
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

func ExampleModel() {
	t := printer{}
	m := groupchattest.NewModel(t,
		groupchattest.Text("Fifty years ago.").To("historian"),
		groupchattest.Text("Nobody knows.").When("tomorrow"),
	)
	th := groupchattest.NewThread(t, &groupchat.LLM{Model: m}, groupchattest.Options{})
	fmt.Println(th.Say("What will be tomorrow?").Text)
	fmt.Println(th.Say("And yesterday?").Code())
	for _, r := range m.Unused() {
		fmt.Println("unused:", &r)
	}
	// Output:
	// Nobody knows.
	// the model has no reply for agent, who says at last "And yesterday?"
	// model_request
	// unused: "Fifty years ago." for historian
}

func ExampleDescribe() {
	m := groupchattest.NewModel(printer{}, groupchattest.Calls("refund", `{"euros":20}`))
	run := groupchattest.NewThread(printer{}, support(m, paid), groupchattest.Options{}).Say("The shoes do not fit.")
	fmt.Print(groupchattest.Describe(run.Events))
	// Output:
	// calls refund {"euros":20}
	// agent asks refund: "May I call refund?"
	// ends: interrupt
}
