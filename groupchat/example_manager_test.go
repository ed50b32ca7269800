package groupchat_test

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
)

// A route looks up one participant by a text in the state, here {"topic": "tea"}.
func ExampleRouteTo() {
	desk := &groupchat.Chat{
		Manager: groupchat.RouteTo("/topic", map[string]groupchat.Destination{
			"Tea":    {Speaker: "gardener", Instruction: "Speak of leaves."},
			"coffee": {Speaker: "roaster"},
		}, groupchat.Destination{Speaker: "clerk"}),
		Participants: []groupchat.Participant{
			{Name: "gardener", Agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
				return groupchat.Sayf(t, "My instruction: %s", t.Instruction())
			})},
			{Name: "roaster", Agent: says("Beans.")},
			{Name: "clerk", Agent: says("What is it about?")},
		},
	}
	_, err := groupchat.Execute(context.Background(), desk, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// gardener: My instruction: Speak of leaves.
	// error: <nil>
}

func ExampleRoundRobin() {
	debate := &groupchat.Chat{
		Manager:      groupchat.RoundRobin(),
		MaxRounds:    3,
		Participants: []groupchat.Participant{{Name: "for", Agent: says("Yes.")}, {Name: "against", Agent: says("No.")}},
	}
	_, err := groupchat.Execute(context.Background(), debate, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// for: Yes.
	// against: No.
	// for: Yes.
	// error: <nil>
}

// A manager is a function of what it sees of its chat. This one lets the engineer answer the guest, and ends the chat
// after two answers.
func ExampleByFunc() {
	alternate := groupchat.ByFunc(func(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
		switch {
		case v.Round == 4:
			return groupchat.Decision{Done: true, Say: "Thank you both."}, nil
		case v.LastSpeaker == "guest":
			return groupchat.Decision{Speaker: "engineer", Reason: "the guest has asked"}, nil
		default:
			return groupchat.Decision{Speaker: "guest"}, nil
		}
	})
	interview := &groupchat.Chat{
		Supervisor:   "host",
		Manager:      alternate,
		Participants: []groupchat.Participant{{Name: "guest", Agent: says("Why?")}, {Name: "engineer", Agent: says("Because.")}},
	}
	_, err := groupchat.Execute(context.Background(), interview, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// guest: Why?
	// engineer: Because.
	// guest: Why?
	// engineer: Because.
	// host: Thank you both.
	// error: <nil>
}
