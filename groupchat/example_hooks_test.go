package groupchat_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// A hook around models sees the request and changes the reply.
func ExampleWithHooks() {
	polite := groupchat.Hooks{
		Name: "polite",
		Model: func(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
			fmt.Println("asked for a", c.Purpose)
			c.On = model.Deltas{} // nothing is shown before it was changed
			reply, err := next(ctx, c)
			reply.Text = strings.ReplaceAll(reply.Text, "No.", "I am afraid not.")
			return reply, err
		},
	}
	clerk := &groupchat.LLM{Model: model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{Text: "No."}, nil
	})}
	result, err := thread.Run(context.Background(), groupchat.WithHooks(clerk, polite), "Is there any cake left?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// asked for a reply
	// I am afraid not.
}
