package modeltest_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// A printer replaces the *testing.T of a test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func ExampleModel() {
	t := printer{}
	m := modeltest.New(t,
		modeltest.Text("Fifty years ago.").To("historian"),
		modeltest.Text("It is unknown.").When("tomorrow"),
	)
	th := groupchattest.NewThread(t, &groupchat.LLM{Model: m}, groupchattest.Options{})
	fmt.Println(th.Say("What will be tomorrow?").Text)
	fmt.Println(th.Say("And yesterday?").Code())
	for _, r := range m.Unused() {
		fmt.Println("unused:", &r)
	}
	// Output:
	// It is unknown.
	// the model has no reply for agent, who says at last "And yesterday?"
	// model_request
	// unused: "Fifty years ago." for historian
}
