package cache_test

import (
	"context"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/cache"
)

// The same question within the hour gets the same reply, at no cost.
func Example() {
	asked := 0
	oracle := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		asked++
		return model.Reply{Text: "Forty-two."}, nil
	})
	m, err := cache.New(oracle, cache.Options{TTL: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		answer, err := thread.Run(context.Background(), &groupchat.LLM{Model: m}, "What is the answer?")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Text)
	}
	fmt.Println("asked:", asked)
	// Output:
	// Forty-two.
	// Forty-two.
	// Forty-two.
	// asked: 1
}
