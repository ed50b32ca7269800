package thread_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// booker asks which airline it is to be, and books.
var booker = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
	airline, err := groupchat.Choose(t, groupchat.Question{Key: "airline", Message: "Which airline?"}, "KLM", "United")
	if err != nil {
		return err
	}
	if err := t.State().Set("/booked", airline); err != nil {
		return err
	}
	return groupchat.Sayf(t, "Booked with %s.", airline)
})

func ExampleRun() {
	ctx := context.Background()
	result, err := thread.Run(ctx, booker, "Fly me to San Francisco")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range result.Questions {
		fmt.Println(q.Key, q)
	}
	result, err = result.Answer(ctx, map[string]any{"airline": "KLM"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	fmt.Println(string(result.State))
	// Output:
	// airline Which airline? ["KLM","United"]
	// Booked with KLM.
	// {"booked":"KLM"}
}

func ExampleThread() {
	ctx := context.Background()
	th := thread.New(booker, thread.Options{
		Input: groupchat.Input{Principal: groupchat.Principal{ID: "ada"}},
		State: json.RawMessage(`{"origin":"Amsterdam"}`),
	})
	if _, err := th.Say(ctx, "Fly me to San Francisco"); err != nil {
		fmt.Println(err)
		return
	}
	saved, err := json.Marshal(th) // to a file, perhaps: the program may end here
	if err != nil {
		fmt.Println(err)
		return
	}

	th = thread.New(booker, thread.Options{})
	if err := json.Unmarshal(saved, th); err != nil {
		fmt.Println(err)
		return
	}
	_, err = th.Answer(ctx, map[string]any{"airline": "Lufthansa"})
	fmt.Println(err)
	result, err := th.Answer(ctx, map[string]any{"airline": "United"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text, string(result.State))
	// Output:
	// resume_invalid: thread: the answer to "airline" does not fit the question
	// Booked with United. {"booked":"United","origin":"Amsterdam"}
}
