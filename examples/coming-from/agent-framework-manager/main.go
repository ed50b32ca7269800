// Command agent-framework-manager has a manager in Go: it chooses the next speaker, speaks itself, and ends the chat.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// desk is a GroupChatManager. A chat makes one for each run; Snapshot and Restore keep its memory over a pause.
type desk struct {
	Asked int `json:"asked"`
}

// Next is SelectNextAgentAsync and ShouldTerminateAsync in one method.
func (d *desk) Next(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
	if _, done := v.State.Raw("/flight"); !done {
		d.Asked++
		return groupchat.Decision{Speaker: "flights", Say: "First a flight.", Reason: "there is none"}, nil
	}
	return groupchat.Decision{Done: true, Say: fmt.Sprintf("Done after %d step.", d.Asked)}, nil
}

func (d *desk) Snapshot() (json.RawMessage, error)  { return json.Marshal(d) }
func (d *desk) Restore(saved json.RawMessage) error { return json.Unmarshal(saved, d) }

func flights(_ context.Context, t *groupchat.Turn) error {
	airline, err := groupchat.Choose(t, groupchat.Question{Key: "airline", Message: "Which airline?"}, "KLM", "United")
	if err != nil {
		return err
	}
	return t.State().Set("/flight", airline)
}

var trip = &groupchat.Chat{
	Manager:    func() groupchat.Manager { return &desk{} },
	Supervisor: "desk",
	MaxRounds:  10, // MaximumIterationCount
	Participants: []groupchat.Participant{
		{Name: "flights", Description: "Books flights", Agent: groupchat.AgentFunc(flights)},
	},
}

func main() {
	ctx := context.Background()
	result, err := thread.Run(ctx, trip, "Plan my trip")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	result, err = result.Answer(ctx, map[string]any{"airline": "KLM"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text, string(result.State))
}
