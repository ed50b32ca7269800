package history_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat/history"
)

func ExamplePolicy() {
	policy := &history.Policy{Turns: 20, KeepFirst: 1, Strategy: history.Summarise}
	fmt.Println(policy.Validate())
	policy.KeepLast = 30
	fmt.Println(policy.Validate())
	// Output:
	// <nil>
	// history: keeps the last 30 turns of 20
}
