package groupchat_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
)

// says is an agent that says one thing.
func says(text string) groupchat.Agent {
	return groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.Say(t, text) })
}

func ExampleConcurrent() {
	panel := &groupchat.Concurrent{
		Participants: []groupchat.Participant{
			{Name: "lawyer", Agent: says("Allowed.")},
			{Name: "engineer", Agent: says("Feasible.")},
		},
		Output: groupchat.OutputHistory, // said when both have ended, in this order
		Join: func(_ context.Context, t *groupchat.Turn, replies []groupchat.Reply) error {
			var all []string
			for _, r := range replies {
				all = append(all, r.Name+" says "+strings.ToLower(r.Text()))
			}
			return groupchat.Say(t, strings.Join(all, " "))
		},
	}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "panel", Agent: panel}}}
	_, err := groupchat.Execute(context.Background(), team, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// lawyer: Allowed.
	// engineer: Feasible.
	// panel: lawyer says allowed. engineer says feasible.
	// error: <nil>
}

func ExampleSub() {
	writer := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		var topic string
		if _, err := t.State().Get("/subject", &topic); err != nil {
			return err
		}
		length, err := groupchat.Choose(t, groupchat.Question{Key: "long", Message: "Long or short?"}, "long", "short")
		if err != nil {
			return err
		}
		return groupchat.Sayf(t, "A %s text on %s.", length, topic)
	})
	inner := &groupchat.Chat{
		Manager:      groupchat.Sequential(),
		Participants: []groupchat.Participant{{Name: "notes", Agent: says("Nobody outside hears this.")}, {Name: "writer", Agent: writer}},
	}
	text := groupchat.Sub(inner, groupchat.SubOptions{
		Inputs: map[string]func(groupchat.View) (any, error){"subject": groupchat.FromState("/topic")},
		State:  groupchat.Scoping{Kind: groupchat.ScopeIsolated},
		Output: groupchat.OutputHistory,
		Result: "/draft",
		OnAsk: func(_ context.Context, _ *groupchat.Turn, q groupchat.Asked) (ask.Answer, bool, error) {
			fmt.Println(q.Path, "asks:", q.Message)
			return ask.Answer{Payload: []byte(`"short"`)}, true, nil // the others are not asked
		},
	})
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "text", Agent: text}}}
	result, err := groupchat.Execute(context.Background(), team, session(nil, nil))
	fmt.Println("paused:", result.Pause != nil, "error:", err)
	// Output:
	// text.writer asks: Long or short?
	// text: A short text on tea.
	// state: /draft "A short text on tea."
	// paused: false error: <nil>
}

func ExampleHandoff() {
	triage := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		for _, to := range t.Handoffs() {
			t.Goto(to.Name) // a model would choose
		}
		return groupchat.Say(t, "That is one for billing.")
	})
	desk := &groupchat.Chat{
		Manager: groupchat.Handoff(groupchat.HandoffOptions{Start: "triage", Edges: map[string][]string{"triage": {"billing"}}}),
		Participants: []groupchat.Participant{
			{Name: "triage", Agent: triage},
			{Name: "billing", Agent: says("Paid back."), Description: "knows about money"},
		},
	}
	if err := desk.Validate(); err != nil {
		fmt.Println(err)
	}
	_, err := groupchat.Execute(context.Background(), desk, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// triage: That is one for billing.
	// billing: Paid back.
	// error: <nil>
}
