// Command each-element lets one agent work on each element of a list at the same time, and joins the results.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// joker works on one element. Its state is separate, and has the element under /topic.
func joker(_ context.Context, t *groupchat.Turn) error {
	var topic string
	if _, err := t.State().Get("/topic", &topic); err != nil {
		return err
	}
	return groupchat.Sayf(t, "A joke about %s.", topic)
}

// jokes invokes the joker once for each word of the user's message.
func jokes(_ context.Context, t *groupchat.Turn) error {
	message, _ := t.LastUser()
	var list []groupchat.Invocation
	for i, topic := range strings.Fields(message.Content.Text()) {
		input := func(groupchat.View) (any, error) { return topic, nil }
		scope := groupchat.Scoping{Kind: groupchat.ScopeIsolated}
		scope.Inputs = map[string]func(groupchat.View) (any, error){"topic": input}
		list = append(list, groupchat.Invocation{
			Name:          "joker",
			Agent:         groupchat.AgentFunc(joker),
			InvokeOptions: groupchat.InvokeOptions{N: i + 1, Output: groupchat.OutputNone, Scope: scope},
		})
	}
	replies, err := t.InvokeAll(list...)
	if err != nil {
		return err
	}
	texts := make([]string, len(replies)) // in the order of the list
	for i, reply := range replies {
		texts[i] = reply.Text()
	}
	if err := t.State().Set("/jokes", texts); err != nil {
		return err
	}
	return groupchat.Sayf(t, "%d jokes.", len(texts))
}

func main() {
	result, err := thread.Run(context.Background(), groupchat.AgentFunc(jokes), "cats dogs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Println(string(result.State))
}
