// Command langgraph-functions is a graph of functions: nodes that read and write the state, a conditional edge, and a
// question to a person.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/state/document"
)

// graph is the StateGraph: a node for each participant.
var graph = &groupchat.Chat{
	State: groupchat.StateSpec{
		Initial:  json.RawMessage(`{"seats": 0, "log": []}`),
		Reducers: document.Reducers{"/log": document.Append}, // Annotated[list, operator.add]
	},
	Manager: groupchat.ByFunc(route),
	Participants: []groupchat.Participant{
		{Name: "search", Agent: groupchat.AgentFunc(search)},
		{Name: "book", Agent: groupchat.AgentFunc(book)},
	},
}

// route has the edges: it chooses the node after START and after each node.
func route(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
	var seats int
	if _, err := v.State.Get("/seats", &seats); err != nil {
		return groupchat.Decision{}, err
	}
	switch {
	case v.LastSpeaker == "": // START
		return groupchat.Decision{Speaker: "search"}, nil
	case v.LastSpeaker == "search" && seats > 0:
		return groupchat.Decision{Speaker: "book"}, nil
	}
	return groupchat.Decision{Done: true}, nil // END
}

func search(_ context.Context, t *groupchat.Turn) error {
	if err := t.State().Set("/log", "searched"); err != nil {
		return err
	}
	return t.State().Set("/seats", 2)
}

// book asks a person. It runs again from the top when the answer is there, as a node with interrupt() does.
func book(_ context.Context, t *groupchat.Turn) error {
	class, err := groupchat.Choose(t, groupchat.Question{Key: "class", Message: "Which class?"}, "first", "second")
	if err != nil {
		return err
	}
	if err := t.State().Set("/log", "booked "+class); err != nil {
		return err
	}
	return groupchat.Sayf(t, "Booked a seat in %s class.", class)
}

func main() {
	ctx := context.Background()
	result, err := thread.Run(ctx, graph, "A seat to Lyon, please.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Questions[0])
	result, err = result.Answer(ctx, map[string]any{"class": "first"}) // Command(resume="first")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Println(string(result.State))
}
