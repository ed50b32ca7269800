package thread_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// verified returns options that check the protocol's order of events.
func verified(t *testing.T) thread.Options {
	var v *agui.Verifier
	return thread.Options{Events: func(e agui.Event) error {
		if _, ok := e.(*agui.RunStarted); ok {
			v = &agui.Verifier{}
		}
		data, err := agui.Encode(e)
		if err == nil {
			e, err = agui.Decode(data, nil)
		}
		if err == nil {
			err = v.Next(e)
		}
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
		return nil
	}}
}

func wantCode(t *testing.T, err error, want errcode.Code) {
	t.Helper()
	if err == nil || errcode.Of(err) != want {
		t.Errorf("error %v, want the code %s", err, want)
	}
}

func wantNone(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestThreadGoesOnOverRuns(t *testing.T) {
	t.Parallel()
	th := thread.New(booker, verified(t))
	result, err := th.Say(t.Context(), "Fly me away")
	wantNone(t, err)
	if len(result.Questions) != 1 || result.Questions[0].Key != "airline" || string(result.Questions[0].Options) != `["KLM","United"]` || result.Done() {
		t.Fatalf("it asks %+v", result.Questions)
	}
	_, err = th.Say(t.Context(), "Hello?")
	wantCode(t, err, errcode.InterruptPending)
	_, err = th.Answer(t.Context(), map[string]any{"hotel": "Zoe"})
	wantCode(t, err, errcode.InterruptNotFound)
	_, err = th.Answer(t.Context(), map[string]any{"airline": func() {}})
	wantCode(t, err, errcode.ResumeInvalid)
	_, err = th.Answer(t.Context(), map[string]any{"airline": "KLM", result.Questions[0].ID: "United"})
	wantCode(t, err, errcode.ResumeInvalid)
	again, err := th.Resume(t.Context())
	wantNone(t, err)
	if diff := cmp.Diff(result.Questions, again.Questions); diff != "" || len(again.Messages) > 0 {
		t.Errorf("entered again it asks for something else, or says something:\n%s%v", diff, again.Messages)
	}
	result, err = again.Answer(t.Context(), map[string]any{"airline": "KLM"})
	wantNone(t, err)
	if result.Text != "Booked with KLM." || !result.Done() || result.Thread() != th {
		t.Errorf("the result is %+v", result)
	}
	_, err = th.Answer(t.Context(), map[string]any{"airline": "KLM"})
	wantCode(t, err, errcode.InterruptNotFound)
	_, err = th.Resume(t.Context())
	wantCode(t, err, errcode.NotFound)
	result, err = th.Say(t.Context(), "And back")
	wantNone(t, err)
	if result, err = result.Answer(t.Context(), map[string]any{"airline": ask.Answer{Cancelled: true}}); err != nil || result.Text != "" {
		t.Errorf("called off it comes to %+v, %v", result, err)
	}
	if n := len(th.Messages()); n != 3 {
		t.Errorf("the thread has %d messages, want 3", n)
	}
}

// tokens is a model that says text, for so many tokens.
func tokens(text string, n int64) model.Model {
	return model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		cost := 0.5
		return model.Reply{Text: text, Usage: agui.TokenUsage{Provider: "p", Model: "m", InputTokens: &n}, Cost: &cost}, nil
	})
}

func TestThreadCountsWhatModelsUse(t *testing.T) {
	t.Parallel()
	th := thread.New(&groupchat.LLM{Model: tokens("Hi.", 3)}, verified(t))
	for range 2 {
		result, err := th.Say(t.Context(), "Hello")
		wantNone(t, err)
		if len(result.Usage) != 1 || *result.Usage[0].InputTokens != 3 || *result.Cost != 0.5 {
			t.Errorf("a run used %+v for %v", result.Usage, result.Cost)
		}
	}
	if used, cost := th.Usage(); len(used) != 1 || *used[0].InputTokens != 6 || *cost != 1 {
		t.Errorf("the thread used %+v for %v", used, cost)
	}
}

func TestThreadCallsAndApprovals(t *testing.T) {
	t.Parallel()
	replies := []model.Reply{
		{Calls: []model.Call{{Name: "delete", Arguments: `{"id":7}`}, {Name: "colour", Arguments: `{}`}}},
		{Text: "Done."}, {Calls: []model.Call{{Name: "colour", Arguments: `{}`}}}, {Text: "Never mind."},
	}
	var asked []model.Request
	speaks := model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		asked = append(asked, r)
		next := replies[0]
		replies = replies[1:]
		return next, nil
	})
	deleted := ""
	agent := &groupchat.LLM{Model: speaks, Tools: []groupchat.Tool{{
		Name: "delete", Approve: tools.ApproveAlways, Parameters: json.RawMessage(`{"type":"object"}`),
		Call: func(_ context.Context, c groupchat.ToolCall) (tools.Result, error) {
			deleted = string(c.Arguments)
			return tools.Text("gone"), nil
		},
	}}}
	o := verified(t)
	o.Input.Tools = []agui.Tool{{Name: "colour", Description: "the page's colour", Parameters: json.RawMessage(`{"type":"object"}`)}}
	th := thread.New(agent, o)
	result, err := th.Say(t.Context(), "Delete it")
	wantNone(t, err)
	if len(result.Questions) != 1 || result.Questions[0].Tool != "delete" || string(result.Questions[0].Arguments) != `{"id":7}` ||
		len(result.Calls) != 1 || result.Calls[0].Name != "colour" {
		t.Fatalf("it waits for %+v and %+v", result.Questions, result.Calls)
	}
	result, err = result.Answer(t.Context(), map[string]any{"delete": true})
	wantNone(t, err)
	if deleted != `{"id":7}` || len(result.Questions) != 0 || len(result.Calls) != 1 {
		t.Fatalf("deleted %s, and it waits for %+v and %+v", deleted, result.Questions, result.Calls)
	}
	result, err = result.Answer(t.Context(), map[string]any{"colour": map[string]string{"name": "red"}})
	wantNone(t, err)
	if result.Text != "Done." {
		t.Errorf("it says %q", result.Text)
	}
	last := asked[len(asked)-1].Messages
	if got := last[len(last)-1].Text; got != `{"name":"red"}` {
		t.Errorf("the model is told %q", got)
	}
	_, err = th.Say(t.Context(), "What colour?")
	wantNone(t, err)
	result, err = th.Say(t.Context(), "Leave it")
	wantNone(t, err)
	if result.Text != "Never mind." || len(th.Calls()) != 0 {
		t.Errorf("it says %q and waits for %+v", result.Text, th.Calls())
	}
}

func TestThreadTakesOverFromWhateverWasSaved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	paid := map[string]int{}
	pays := func(name string) groupchat.Agent {
		return groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			said, err := groupchat.Once(turn, "pay", func() (string, error) {
				mu.Lock()
				defer mu.Unlock()
				paid[name]++
				return name + " paid", nil
			})
			if err != nil {
				return err
			}
			return groupchat.SayOnce(turn, "said", said)
		})
	}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: "a", Agent: pays("a")}, {Name: "b", Agent: pays("b")}, {Name: "c", Agent: booker},
	}}
	var saved []json.RawMessage
	o := verified(t)
	o.Save = func(_ context.Context, raw json.RawMessage) error {
		saved = append(saved, bytes.Clone(raw))
		return nil
	}
	th := thread.New(team, o)
	result, err := th.Say(t.Context(), "Pay")
	wantNone(t, err)
	_, err = result.Answer(t.Context(), map[string]any{"airline": "KLM"})
	wantNone(t, err)
	want := th.Messages()
	if len(saved) < 8 {
		t.Fatalf("the thread was saved %d times", len(saved))
	}
	for i, raw := range saved {
		other := thread.New(team, verified(t))
		wantNone(t, json.Unmarshal(raw, other))
		if strings.Contains(string(raw), `"live"`) {
			_, err := other.Say(t.Context(), "Hello?")
			wantCode(t, err, errcode.RunInProgress)
			_, err = other.Resume(t.Context())
			wantNone(t, err)
		}
		if len(other.Questions()) > 0 {
			_, err := other.Answer(t.Context(), map[string]any{"airline": "KLM"})
			wantNone(t, err)
		}
		if got := other.Messages(); len(got) != len(want) || got[len(got)-1].Content.Text() != "Booked with KLM." {
			t.Errorf("from %d: %s it came to %d messages, want %d", i, raw, len(got), len(want))
		}
	}
	for _, name := range []string{"a", "b"} {
		again := 1 // the first run, and those that went on from before the payment
		for _, raw := range saved {
			if !bytes.Contains(raw, []byte(name+" paid")) {
				again++
			}
		}
		if paid[name] != again {
			t.Errorf("%s paid %d times, want %d", name, paid[name], again)
		}
	}
}

func TestThreadAfterAFailure(t *testing.T) {
	t.Parallel()
	broken := true
	agent := groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
		a, err := turn.Ask(groupchat.Question{Key: "size", Message: "Which size?"})
		if err != nil {
			return err
		}
		price, err := groupchat.Once(turn, "price", func() (string, error) { return "12", nil })
		if err != nil {
			return err
		}
		if broken {
			return &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("away")}
		}
		return groupchat.SayOnce(turn, "said", fmt.Sprintf("%s for %s", a.Payload, price))
	})
	th := thread.New(agent, verified(t))
	result, err := th.Say(t.Context(), "A shirt")
	wantNone(t, err)
	_, err = result.Answer(t.Context(), map[string]any{"size": "L"})
	wantCode(t, err, errcode.ModelUnavailable)
	if len(th.Questions()) != 1 {
		t.Fatalf("open after the failure: %+v", th.Questions())
	}
	broken = false
	result, err = th.Answer(t.Context(), map[string]any{"size": "L"})
	wantNone(t, err)
	if result.Text != `"L" for 12` {
		t.Errorf("it says %q", result.Text)
	}
	failing := groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
		text := turn.Text()
		_, _ = text.WriteString("Half a sen")
		return errors.New("no")
	})
	th = thread.New(failing, verified(t))
	_, err = th.Say(t.Context(), "Hello")
	wantCode(t, err, errcode.AgentFailed)
	if got := th.Messages(); len(got) != 1 {
		t.Errorf("half a sentence stays: %+v", got)
	}
}

func TestThreadRefusesWhatItCannotTake(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`7`, `{}`, `{"v":2,"id":"t"}`, `{"v":1}`} {
		wantCode(t, json.Unmarshal([]byte(raw), thread.New(booker, thread.Options{})), errcode.CheckpointIncompatible)
	}
	_, err := thread.New(booker, thread.Options{State: json.RawMessage(`[]`)}).Say(t.Context(), "Hello")
	wantCode(t, err, errcode.InvalidInput)
	_, err = thread.Run(t.Context(), nil, "Hello")
	wantCode(t, err, errcode.Internal)
	var th *thread.Thread
	busy := groupchat.AgentFunc(func(ctx context.Context, _ *groupchat.Turn) error {
		_, err := th.Say(ctx, "At the same time")
		wantCode(t, err, errcode.RunInProgress)
		return nil
	})
	th = thread.New(busy, thread.Options{})
	_, err = th.Say(t.Context(), "Hello")
	wantNone(t, err)
	gone := errors.New("disk full")
	_, err = thread.New(booker, thread.Options{Save: func(context.Context, json.RawMessage) error { return gone }}).Say(t.Context(), "Hello")
	if !errors.Is(err, gone) {
		t.Errorf("error %v, want what Save returned", err)
	}
	_, err = thread.New(booker, thread.Options{Events: func(agui.Event) error { return gone }}).Say(t.Context(), "Hello")
	if !errors.Is(err, gone) {
		t.Errorf("error %v, want what Events returned", err)
	}
}

// A narrow model refuses requests of more than 4,000 bytes, and counts the summaries that it was asked for.
type narrow struct {
	summaries int
	last      model.Request
}

func (n *narrow) Stream(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	size := 0
	for _, m := range r.Messages {
		size += len(m.Text)
	}
	n.last = r
	switch {
	case size > 4000:
		return model.Reply{}, &errcode.Error{Code: errcode.ModelContextLength, Err: errors.New("too long")}
	case strings.HasPrefix(r.Messages[0].Text, "You write down"):
		n.summaries++
		return model.Reply{Text: fmt.Sprintf("Summary %d.", n.summaries)}, nil
	default:
		return model.Reply{Text: "Hm."}, nil
	}
}

// TestASavedThreadKeepsNotes continues a saved thread: its summary is not made again.
func TestASavedThreadKeepsNotes(t *testing.T) {
	t.Parallel()
	m := &narrow{}
	agent := &groupchat.LLM{Model: m, History: &history.Policy{Turns: 3, Strategy: history.Summarise}}
	th := thread.New(agent, thread.Options{})
	say := func(text string) {
		t.Helper()
		if _, err := th.Say(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if m.summaries > 1 {
			t.Fatalf("%d summaries", m.summaries)
		}
	}
	for i := range 4 {
		say(fmt.Sprint("Question ", i))
	}
	saved, err := json.Marshal(th)
	if err != nil {
		t.Fatal(err)
	}
	th = thread.New(agent, thread.Options{})
	if err := json.Unmarshal(saved, th); err != nil {
		t.Fatal(err)
	}
	say("Go on")
	if m.summaries != 1 || !strings.Contains(fmt.Sprint(m.last.Messages), "Summary 1.") {
		t.Errorf("%d summaries, asked %v", m.summaries, m.last.Messages)
	}
}
