package choose_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/choose"
	"github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// Participants without a condition always work.
func ExampleWhen() {
	selector := choose.When(map[string]groupchat.Condition{
		"gardener": condition.Equals("/topic", "tea"), "roaster": condition.Equals("/topic", "coffee"),
	})
	state, err := document.New(json.RawMessage(`{"topic":"tea"}`), document.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(selector(context.Background(), groupchat.View{State: state,
		Participants: []profile.Info{{Name: "gardener"}, {Name: "roaster"}, {Name: "cook"}}}))
	// Output: [gardener cook] <nil>
}
