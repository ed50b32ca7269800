package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
)

// pieces and pause make the second turn of long take five seconds.
const (
	pieces = 200
	pause  = 25 * time.Millisecond
)

// long returns a team with a first turn that is committed at once, and a second that talks for seconds.
func long(d *desk) groupchat.Agent {
	return &groupchat.Chat{
		Description: "Talks for a while",
		Manager:     groupchat.Sequential(),
		Middleware:  []func(groupchat.Agent) groupchat.Agent{d.counting},
		Participants: []groupchat.Participant{
			{Name: "opener", Agent: groupchat.AgentFunc(open)},
			{Name: "teller", Agent: groupchat.AgentFunc(tell)},
		},
		State: groupchat.StateSpec{Initial: json.RawMessage(`{"opened":false,"told":0}`)},
	}
}

func open(_ context.Context, t *groupchat.Turn) error {
	if err := t.State().Set("/opened", true); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "open", "Once upon a time.")
}

func tell(_ context.Context, t *groupchat.Turn) error {
	text := t.Text()
	for i := range pieces {
		if err := t.Sleep(pause); err != nil {
			return err
		}
		if _, err := text.WriteString(strconv.Itoa(i) + " "); err != nil {
			return err
		}
		if i%10 != 9 {
			continue
		}
		if err := t.State().Set("/told", i+1); err != nil {
			return err
		}
	}
	return text.Close()
}
