package groupchat_test

import (
	"context"
	"fmt"
	"regexp"

	"github.com/agui-gateway/gateway/groupchat"
)

// Conditions look at the state, here {"topic":"tea"}, and at the messages.
func ExampleCondition() {
	tea := groupchat.Equals("/topic", "tea")
	ready := groupchat.Said("kettle", regexp.MustCompile(`(?i)\bboils\b`).MatchString)
	kitchen := &groupchat.Chat{
		Manager: groupchat.Rules(groupchat.Done,
			groupchat.Rule{When: groupchat.And(tea, groupchat.Not(ready)), Speaker: "kettle"},
			groupchat.Rule{When: groupchat.Speaker("kettle"), Speaker: "cook"}),
		Participants: []groupchat.Participant{{Name: "cook", Agent: says("I pour.")}, {Name: "kettle", Agent: says("It boils!")}},
	}
	_, err := groupchat.Execute(context.Background(), kitchen, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// kettle: It boils!
	// cook: I pour.
	// error: <nil>
}
