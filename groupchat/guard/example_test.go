package guard_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/guard"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// echo is a model that repeats its prompt.
var echo = model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	return model.Reply{Text: "You said: " + r.Messages[len(r.Messages)-1].Text}, nil
})

func ExampleNew() {
	rails, err := guard.New(
		guard.Rule{On: []guard.Place{guard.Input}, Match: regexp.MustCompile(`(?i)password`), Say: "Please do not send passwords."},
		guard.Rule{On: []guard.Place{guard.Request, guard.Output}, Detect: []guard.Detector{guard.Email, guard.Card}, Do: guard.Redact},
	)
	if err != nil {
		panic(err)
	}
	agent := groupchat.WithHooks(&groupchat.LLM{Model: echo}, rails)

	result, err := thread.Run(context.Background(), agent, "I am ann@example.org")
	fmt.Println(result.Text, err)
	_, err = thread.Run(context.Background(), agent, "My password is tulip")
	fmt.Println(errcode.Of(err))
	// Output:
	// You said: I am [email] <nil>
	// guardrail_refused
}

func ExampleText() {
	// Every sentence ends in a full stop, whatever the model is excited about.
	calm := guard.Text(func(p guard.Passage) (goesOn, held string, err error) {
		return strings.ReplaceAll(p.Text, "!", "."), "", nil
	})
	agent := groupchat.WithHooks(&groupchat.LLM{Model: echo}, calm)
	result, err := thread.Run(context.Background(), agent, "Great! Wow!")
	fmt.Println(result.Text, err)
	// Output: You said: Great. Wow. <nil>
}

func ExampleRedactor_Redact() {
	fmt.Println(guard.NewRedactor(guard.Email, guard.Phone).Redact("ann@example.org, +49 30 1234567, room 12"))
	// Output: [email], [phone], room 12
}
