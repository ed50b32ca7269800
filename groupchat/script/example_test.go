package script_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
)

// A form asks before any message, and a team takes it like any agent.
func ExampleAgent() {
	form := &script.Agent{Description: "takes the order", Steps: []script.Step{
		{Ask: &script.Ask{Key: "size", Message: "Which size?", Options: []any{"S", "L"}}},
		{Set: &script.Set{Path: "/order/size", Value: "${answers.size}"}},
		{Say: "One in ${answers.size}, then."},
	}}
	team := &groupchat.Chat{
		Manager:      groupchat.Sequential(),
		Participants: []groupchat.Participant{{Name: "form", Agent: form}},
	}
	fmt.Println(team.Validate())
	fmt.Println(form.Describe().Interrupts)
	// Output:
	// <nil>
	// true
}

func ExampleAgent_Validate() {
	form := &script.Agent{Steps: []script.Step{
		{Say: "One in ${answers.size}, then."},
		{Ask: &script.Ask{Key: "size"}},
	}}
	fmt.Println(form.Validate())
	// Output:
	// step 1: ${answers.size}: no step before asks a question or calls a tool or an agent of that name
	// step 2: ask: question "size" has no message
}
