package groupchat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A notebook is a journal in memory. A service keeps both in its store: the run continues from them after a crash.
type notebook struct {
	checkpoint json.RawMessage
	effects    map[string]json.RawMessage
}

func (n *notebook) Commit(_ context.Context, checkpoint json.RawMessage) error {
	n.checkpoint, n.effects = checkpoint, nil // the checkpoint has all recorded effects
	return nil
}

func (n *notebook) Once(_ context.Context, key string, result json.RawMessage) error {
	if n.effects == nil {
		n.effects = map[string]json.RawMessage{}
	}
	n.effects[key] = result
	return nil
}

// A conversation keeps one thread and executes its runs.
type conversation struct {
	agent    groupchat.Agent
	messages []agui.Message
	state    []byte
	waiting  groupchat.Result // of the last run, if it paused
	journal  notebook
	ids      int
}

func (c *conversation) newID() string { c.ids++; return strconv.Itoa(c.ids) }

// run executes one run and brings it to its enc.
func (c *conversation) run(ctx context.Context, answers map[string]state.Answer) error {
	view := run.NewView(c.messages, nil)
	run := run.New(run.Options{
		ThreadID: "thread", RunID: c.newID(), View: view, NewID: c.newID,
		Sink: func(e agui.Event, _ []byte) error { fmt.Println(agui.TypeOf(e)); return nil },
	})
	doc, err := document.New(c.state, document.Options{
		OnChange: func(c document.Change) error { return run.Emit(c.Event()) },
	})
	if err != nil {
		return err
	}
	if err := run.Start(&agui.RunStarted{}); err != nil {
		return err
	}
	result, err := groupchat.Execute(ctx, c.agent, &groupchat.Session{
		Run: run, State: doc, Journal: &c.journal, Origin: "1", NewID: c.newID,
		Checkpoint: c.waiting.Checkpoint, Answers: answers,
	})
	if err != nil {
		code := errcode.Of(err)
		return run.Fail(&agui.RunError{Code: string(code), Message: code.Message()})
	}
	c.waiting, c.messages, c.state = result, view.Messages(), doc.JSON()
	if result.Pause == nil {
		return run.Finish(&agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeSuccess}})
	}
	for _, e := range result.Closings {
		if err := run.Emit(e); err != nil {
			return err
		}
	}
	outcome := &agui.Outcome{Type: agui.OutcomeInterrupt}
	for _, i := range result.Pause.Interrupts {
		outcome.Interrupts = append(outcome.Interrupts, i.Interrupt)
	}
	return run.Finish(&agui.RunFinished{Outcome: outcome})
}

// One run ends with a question, and the next one brings the answer.
func ExampleExecute() {
	shop := &conversation{agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		size, err := groupchat.Choose(t, groupchat.Question{Key: "size", Message: "Which size?"}, "S", "L")
		if err != nil {
			return err
		}
		return t.State().Set("/size", size)
	})}
	if err := shop.run(context.Background(), nil); err != nil {
		fmt.Println(err)
		return
	}
	question := shop.waiting.Pause.Interrupts[0]
	fmt.Println(question.Message)
	answer := state.Answer{ID: question.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`"L"`)}
	if err := shop.run(context.Background(), map[string]state.Answer{question.ID: answer}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(shop.state))
	// Output:
	// RUN_STARTED
	// RUN_FINISHED
	// Which size?
	// RUN_STARTED
	// STATE_SNAPSHOT
	// RUN_FINISHED
	// {"size":"L"}
}
