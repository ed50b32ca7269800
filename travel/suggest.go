package travel

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
)

// suggest returns possible next messages of the traveller. They depend on the shared state only.
func suggest(_ context.Context, s groupchat.Situation) ([]groupchat.Suggestion, error) {
	t := readTrip(s.State)
	list := []groupchat.Suggestion{}
	add := func(title, message string) {
		list = append(list, groupchat.Suggestion{Title: title, Message: message})
	}
	switch {
	case !t.started && t.from != nil && t.to != nil && t.from != t.to:
		add(fmt.Sprintf("Plan a trip to %s", t.to), fmt.Sprintf("Plan a trip from %s to %s.", t.from, t.to))
		add(fmt.Sprintf("About %s", t.to), fmt.Sprintf("Tell me everything about %s.", t.to))
		add("What can you do?", "Hello, what can you do?")
	case !t.started:
		add("Plan a trip", fmt.Sprintf("Plan a trip from %s to %s.", defaultOrigin, defaultDestination))
		add("What can you do?", "Hello, what can you do?")
	case t.complete():
		add("Start over", "Start over.")
		add("Another flight", "I would like another flight.")
		add("Another hotel", "I would like another hotel.")
	default:
		add("Go on", "Go on planning my trip.")
		add(fmt.Sprintf("About %s", t.to), fmt.Sprintf("Tell me everything about %s.", t.to))
		add("Start over", "Start over.")
	}
	return list[:min(len(list), s.Most)], nil
}
