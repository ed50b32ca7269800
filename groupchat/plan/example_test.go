package plan_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/plan"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// says repeats the supervisor's instruction.
func says(string) groupchat.Agent {
	return groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Say(t, cmp.Or(t.Instruction(), "I am on my own."))
	})
}

// A model makes a plan, which a person approves; it hands out the work and sums up.
func ExampleManager() {
	answers := []string{
		`{"facts": {"given": ["Five apples"], "to_look_up": ["A price"], "to_derive": ["The sum"], "guesses": []}, "plan": ["clerk: look up the price", "lead: add up"]}`,
		`{"satisfied": false, "looping": false, "advancing": true, "next_speaker": "clerk", "instruction": "An apple is 2.", "reason": "it is the first step"}`,
		`{"satisfied": true, "looping": false, "advancing": true, "next_speaker": "", "instruction": "", "reason": "the price is known"}`,
		"Ten.",
	}
	m := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		next := answers[0]
		answers = answers[1:]
		return model.Reply{Text: next}, nil
	})
	team := &groupchat.Chat{
		Supervisor:   "lead",
		Manager:      plan.Manager(plan.Options{Model: m, Review: &plan.Review{}}),
		Participants: []groupchat.Participant{{Name: "clerk", Description: "Knows prices", Agent: says("clerk")}},
	}
	ctx := context.Background()
	run, err := thread.Run(ctx, team, "What are five apples?")
	if err != nil {
		fmt.Println(err)
		return
	}
	question := run.Questions[0]
	fmt.Println(question.Message)
	run, err = run.Answer(ctx, map[string]any{question.Key: map[string]any{"approved": true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range run.Messages {
		fmt.Printf("%s: %s\n", m.Name, strings.TrimSpace(m.Content.Text()))
	}
	// Output:
	// Shall we go about it like this?
	//
	// 1. clerk: look up the price
	// 2. lead: add up
	// clerk: An apple is 2.
	// lead: Ten.
}
