package groupchat_test

import (
	"context"
	"fmt"
	"regexp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/condition"
)

// Conditions look at the state, here {"topic":"tea"}, and at the messages.
func ExampleCondition() {
	tea := condition.Equals("/topic", "tea")
	ready := condition.Said("kettle", regexp.MustCompile(`(?i)\bboils\b`).MatchString)
	kitchen := &groupchat.Chat{
		Manager: groupchat.Rules(groupchat.Done,
			groupchat.Rule{When: condition.And(tea, condition.Not(ready)), Speaker: "kettle"},
			groupchat.Rule{When: condition.Speaker("kettle"), Speaker: "cook"}),
		Participants: []groupchat.Participant{{Name: "cook", Agent: says("I pour.")}, {Name: "kettle", Agent: says("It boils!")}},
	}
	_, err := groupchat.Execute(context.Background(), kitchen, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// kettle: It boils!
	// cook: I pour.
	// error: <nil>
}
