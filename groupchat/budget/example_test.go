package budget_test

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// A conversation may use so many tokens, and no model is asked after that.
func Example() {
	used := int64(60)
	talks := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{Text: "Hm.", Usage: agui.TokenUsage{Provider: "example", Model: "talks", TotalTokens: &used}}, nil
	})
	b, err := budget.New(budget.Limits{Thread: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	thread := thread.New(groupchat.WithHooks(&groupchat.LLM{Model: talks}, b.Hooks()), thread.Options{})
	for range 3 {
		if _, err := thread.Say(context.Background(), "Go on."); err != nil {
			fmt.Println(errcode.Of(err))
			continue
		}
		usage, _ := thread.Usage()
		fmt.Println(*usage[0].TotalTokens)
	}
	// Output:
	// 60
	// 120
	// budget_exceeded
}
