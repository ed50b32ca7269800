package groupchat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// session is the gateway's part of a run; here it prints the messages.
func session(checkpoint json.RawMessage, answers map[string]state.Answer) *groupchat.Session {
	var mu sync.Mutex
	n := 0
	newID := func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return strconv.Itoa(n)
	}
	run := run.New(run.Options{ThreadID: "t", RunID: "r", NewID: newID, Sink: func(e agui.Event, _ []byte) error {
		switch e := e.(type) {
		case *agui.TextMessageStart:
			fmt.Print(e.Name, ": ")
		case *agui.TextMessageContent:
			fmt.Print(e.Delta)
		case *agui.TextMessageEnd:
			fmt.Println()
		case *agui.StateDelta:
			fmt.Println("state:", e.Delta[0].Path, string(e.Delta[0].Value))
		}
		return nil
	}})
	doc, err := document.New([]byte(`{"topic":"tea","notes":[],"draft":""}`), document.Options{
		OnChange: func(c document.Change) error { return run.Emit(&agui.StateDelta{Delta: c.Patch}) },
	})
	if err != nil {
		panic(err)
	}
	if err := run.Start(&agui.RunStarted{}); err != nil {
		panic(err)
	}
	return &groupchat.Session{
		Run: run, State: doc, Journal: forgetful{}, Checkpoint: checkpoint, Answers: answers, Origin: "1", NewID: newID,
	}
}

// forgetful is a journal for examples.
type forgetful struct{}

func (forgetful) Commit(context.Context, json.RawMessage) error       { return nil }
func (forgetful) Once(context.Context, string, json.RawMessage) error { return nil }

func ExampleChat() {
	researcher := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		if err := groupchat.Say(t, "Noted."); err != nil {
			return err
		}
		return t.State().Set("/notes", []string{"leaves"})
	})
	writer := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return t.State().Set("/draft", "On leaves.")
	})
	desk := &groupchat.Chat{
		Manager: groupchat.Rules(groupchat.Done,
			groupchat.Rule{When: condition.Missing("/notes"), Speaker: "researcher"},
			groupchat.Rule{When: condition.Missing("/draft"), Speaker: "writer"}),
		Participants: []groupchat.Participant{{Name: "researcher", Agent: researcher}, {Name: "writer", Agent: writer}},
	}
	if err := desk.Validate(); err != nil {
		fmt.Println(err)
	}
	result, err := groupchat.Execute(context.Background(), desk, session(nil, nil))
	fmt.Println("paused:", result.Pause != nil, "error:", err)
	// Output:
	// researcher: Noted.
	// state: /notes/- "leaves"
	// state: /draft "On leaves."
	// paused: false error: <nil>
}

func ExampleTurn_Ask() {
	waiter := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		if err := groupchat.Say(t, "Welcome."); err != nil {
			return err
		}
		answer, err := t.Ask(groupchat.Question{Key: "drink", Message: "What would you like?"})
		if err != nil {
			return err // the first time: the run ends here
		}
		if answer.Cancelled {
			return groupchat.Say(t, "Another time, then.")
		}
		return groupchat.Sayf(t, "Here: %s", answer.Payload)
	})
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "waiter", Agent: waiter}}}

	first, err := groupchat.Execute(context.Background(), team, session(nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	question := first.Pause.Interrupts[0]
	fmt.Println("asks:", question.Message)

	// Hours later, on another machine: the checkpoint and the answer are all it takes.
	answer := state.Answer{ID: question.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`"tea"`)}
	second, err := groupchat.Execute(context.Background(), team,
		session(first.Checkpoint, map[string]state.Answer{question.ID: answer}))
	fmt.Println("paused:", second.Pause != nil, "error:", err)
	// Output:
	// waiter: Welcome.
	// asks: What would you like?
	// waiter: Here: "tea"
	// paused: false error: <nil>
}

func ExampleChoose() {
	clerk := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		size, err := groupchat.Choose(t, groupchat.Question{Key: "size", Message: "Which size?", Recommended: "L"}, "S", "L")
		if err != nil {
			return err // a *Pause the first time, ErrCancelled if there is to be no answer
		}
		return t.State().Set("/size", size)
	})
	first, err := groupchat.Execute(context.Background(), clerk, session(nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	question := first.Pause.Interrupts[0]
	fmt.Printf("%s %s\n", question.ResponseSchema, question.Metadata["value"])
	for _, answer := range []state.Answer{
		{ID: question.ID, Status: agui.ResumeCancelled},
		{ID: question.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`"S"`)},
	} {
		_, err = groupchat.Execute(context.Background(), clerk, session(first.Checkpoint, map[string]state.Answer{question.ID: answer}))
		fmt.Println("error:", err)
	}
	// Output:
	// {"enum":["S","L"]} {"message":"Which size?","options":["S","L"],"recommendation":"L"}
	// error: <nil>
	// state: /size "S"
	// error: <nil>
}

func ExampleOnce() {
	calls := 0
	agent := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		price, err := groupchat.Once(t, "price", func() (int, error) { calls++; return 650, nil })
		if err != nil {
			return err
		}
		sure, err := groupchat.Choose(t, groupchat.Question{Key: "ok", Message: fmt.Sprintf("Book for $%d?", price)}, true, false)
		if err != nil || !sure {
			return err
		}
		return t.State().Set("/booked", price)
	})
	first, err := groupchat.Execute(context.Background(), agent, session(nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Pause.Interrupts[0].Message)
	id := first.Pause.Interrupts[0].ID
	_, err = groupchat.Execute(context.Background(), agent,
		session(first.Checkpoint, map[string]state.Answer{id: {ID: id, Status: agui.ResumeResolved, Payload: json.RawMessage("true")}}))
	fmt.Println("computed:", calls, "error:", err)
	// Output:
	// Book for $650?
	// state: /booked 650
	// computed: 1 error: <nil>
}
