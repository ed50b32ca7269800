package travel_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/travel"
)

// A forgetful journal is enough where no run is taken over.
type forgetful struct{}

func (forgetful) Commit(context.Context, json.RawMessage) error       { return nil }
func (forgetful) Once(context.Context, string, json.RawMessage) error { return nil }

// The team runs like any agent: a message goes in, the answer is a question.
func ExampleTeam() {
	team := travel.Team()
	hello := agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Plan a trip to Paris for 5 days")}
	view := run.NewView([]agui.Message{hello}, nil)
	run := run.New(run.Options{
		ThreadID: "thread", RunID: "run", View: view,
		Sink: func(agui.Event, []byte) error { return nil },
	})
	doc, err := document.New(team.StateSpec().Initial, document.Options{
		Reducers: team.StateSpec().Reducers,
		OnChange: func(c document.Change) error { return run.Emit(c.Event()) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := run.Start(&agui.RunStarted{}); err != nil {
		fmt.Println(err)
		return
	}
	result, err := groupchat.Execute(context.Background(), team, &groupchat.Session{
		Run: run, State: doc, Journal: forgetful{}, Origin: "run", NewID: func() string { return "1" },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range view.Messages() {
		fmt.Printf("%s: %s\n", m.Name, m.Content.Text())
	}
	for _, i := range result.Pause.Interrupts {
		fmt.Println("?", i.Message)
	}
	// Output:
	// : Plan a trip to Paris for 5 days
	// supervisor: I will coordinate our specialists to plan your trip from Amsterdam to Paris for 5 days. The flights specialist goes first.
	// flights_agent: I found 2 flight options from Amsterdam to Paris. I recommend KLM.
	// ? Which flight from Amsterdam to Paris would you like to take? I recommend KLM.
}
