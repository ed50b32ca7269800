package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/model"
)

// agents are those of a world. Agents that wait send CUSTOM test.waiting and continue after a receive from gate.
func agents(gate chan struct{}) map[string]groupchat.Agent {
	slow := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waits(ctx, t, gate) })
	return map[string]groupchat.Agent{
		"echo":           groupchat.AgentFunc(echoes),
		"edits":          groupchat.AgentFunc(echoes),
		"ask":            groupchat.AgentFunc(asksSize),
		"both":           groupchat.AgentFunc(asksTwo),
		"steps":          groupchat.AgentFunc(asksTwice),
		"map":            groupchat.AgentFunc(showsMap),
		"mixed":          groupchat.AgentFunc(asksAndCalls),
		"approve":        groupchat.AgentFunc(approves),
		"slow":           slow,
		"slow-queue":     slow,
		"queue-ask":      groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waitsThenAsks(ctx, t, gate) }),
		"slow-supersede": slow,
		"quiet":          groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waitsFirst(ctx, t, gate) }),
		"silent":         groupchat.AgentFunc(counts),
		"mute":           groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return errors.New("no voice") }),
		"slow-answer":    groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waitsAfterAnswer(ctx, t, gate) }),
		"slow-call":      groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waitsInCall(ctx, t, gate) }),
		"deaf":           groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return isDeaf(t, gate) }),
		"fails":          groupchat.AgentFunc(fails),
		"panics":         groupchat.AgentFunc(panics),
		"fails-answer":   groupchat.AgentFunc(failsAfterAnswer),
		"large":          groupchat.AgentFunc(saysMuch),
		"heavy":          groupchat.AgentFunc(keepsMuch),
		"desk":           desk(gate),

		"typed":           groupchat.AgentFunc(asksSize),
		"typed-both":      groupchat.AgentFunc(asksTwo),
		"typed-steps":     groupchat.AgentFunc(asksTwice),
		"typed-mixed":     groupchat.AgentFunc(asksAndCalls),
		"typed-fails":     groupchat.AgentFunc(failsAfterAnswer),
		"typed-queue":     groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waitsThenAsks(ctx, t, gate) }),
		"typed-model":     groupchat.AgentFunc(asksSize),
		"typed-supersede": groupchat.AgentFunc(asksSize),
		"typed-approve":   &groupchat.LLM{Model: model.Func(booksOnce), Tools: []groupchat.Tool{bookTool()}},
		"typed-desk":      desk(gate),
	}
}

// echoes counts its turns in the state and repeats the message.
func echoes(ctx context.Context, t *groupchat.Turn) error {
	if err := counts(ctx, t); err != nil {
		return err
	}
	m, _ := t.LastUser()
	return groupchat.SayOnce(t, "echo", fmt.Sprintf("You said: %s", m.Content.Text()))
}

// counts counts its turns in the state, and says nothing.
func counts(_ context.Context, t *groupchat.Turn) error {
	var n int
	if _, err := t.State().Get("/turns", &n); err != nil {
		return err
	}
	return t.State().Set("/turns", n+1)
}

// waitsFirst counts its turns and waits before it says anything.
func waitsFirst(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if err := counts(ctx, t); err != nil {
		return err
	}
	if err := await(ctx, t, gate); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "late", "Here I am.")
}

// sizes is a question with options that only they answer.
func sizes() groupchat.Question {
	return groupchat.Question{
		Key: "size", Message: "Which size?", Options: []string{"S", "M", "L"}, Recommended: "M",
		Schema: json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":{"enum":["S","M","L"]}}}`),
	}
}

// choose asks q and keeps the answer in the state.
func choose(t *groupchat.Turn, q groupchat.Question) error {
	answer, err := t.Ask(q)
	if err != nil {
		return err
	}
	if answer.Cancelled {
		return groupchat.SayOnce(t, "no/"+q.Key, fmt.Sprintf("No %s then.", q.Key))
	}
	return keepAnswer(t, q.Key, answer)
}

func keepAnswer(t *groupchat.Turn, key string, answer ask.Answer) error {
	var given struct{ Value string }
	if err := answer.Decode(&given); err != nil {
		return err
	}
	if err := t.State().Set("/"+key, given.Value); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "yes/"+key, fmt.Sprintf("Taking %s.", given.Value))
}

func asksSize(_ context.Context, t *groupchat.Turn) error {
	if err := groupchat.SayOnce(t, "hello", "One question first."); err != nil {
		return err
	}
	return choose(t, sizes())
}

func asksTwo(_ context.Context, t *groupchat.Turn) error {
	colour := sizes()
	colour.Key, colour.Message = "colour", "Which colour?"
	answers, err := t.AskAll(sizes(), colour)
	if err != nil {
		return err
	}
	for i, key := range []string{"size", "colour"} {
		if answers[i].Cancelled {
			continue
		}
		if err := keepAnswer(t, key, answers[i]); err != nil {
			return err
		}
	}
	return nil
}

func asksTwice(_ context.Context, t *groupchat.Turn) error {
	if err := choose(t, sizes()); err != nil {
		return err
	}
	second := sizes()
	second.Key, second.Message = "lid", "Which lid?"
	return choose(t, second)
}

func showsMap(_ context.Context, t *groupchat.Turn) error {
	if err := groupchat.SayOnce(t, "look", "Look at the map."); err != nil {
		return err
	}
	shown, err := t.CallTool("map", "show_map", map[string]string{"city": "Paris"})
	if err != nil {
		return err
	}
	weather, err := t.CallTool("sky", "show_sky", map[string]string{"city": "Paris"})
	if err != nil {
		return err
	}
	return groupchat.SayOnce(t, "seen", fmt.Sprintf("Seen: %s, %s.", shown.Text(), weather.Text()))
}

// asksAndCalls waits for an answer and for a frontend call at once.
func asksAndCalls(_ context.Context, t *groupchat.Turn) error {
	answer, notAnswered := t.Ask(sizes())
	shown, notShown := t.CallTool("map", "show_map", map[string]string{"city": "Paris"})
	if err := errors.Join(notAnswered, notShown); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "done", fmt.Sprintf("Answer %s, map %s.", answer.Payload, shown.Text()))
}

// approves asks for approval of a call before making it.
func approves(_ context.Context, t *groupchat.Turn) error {
	type made struct{ ID string }
	call, err := groupchat.Once(t, "call", func() (made, error) { return made{"book-1"}, nil })
	if err != nil {
		return err
	}
	if _, err := groupchat.Once(t, "stream", func() (bool, error) { return true, streamCall(t, call.ID) }); err != nil {
		return err
	}
	answer, err := t.Ask(groupchat.Question{Key: "approve", Reason: "tool_call", Message: "Book it?", ToolCallID: call.ID})
	if err != nil {
		return err
	}
	verdict := "declined"
	if !answer.Cancelled {
		verdict = "booked"
	}
	err = t.Emit(&agui.ToolCallResult{MessageID: "result-1", ToolCallID: call.ID, Content: agui.TextContent(verdict)})
	if bytes.Contains(answer.Payload, []byte("then fail")) {
		return errors.New("the call was made, and then this")
	}
	return err
}

func streamCall(t *groupchat.Turn, id string) error {
	for _, e := range []agui.Event{
		&agui.ToolCallStart{ToolCallID: id, ToolCallName: "book"},
		&agui.ToolCallArgs{ToolCallID: id, Delta: `{"what":"it"}`},
		&agui.ToolCallEnd{ToolCallID: id},
	} {
		if err := t.Emit(e); err != nil {
			return err
		}
	}
	return nil
}

// waits says half a sentence and the rest when it is let.
func waits(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if err := t.State().Set("/phase", "half"); err != nil {
		return err
	}
	text := t.Text()
	if _, err := text.WriteString("Half"); err != nil {
		return err
	}
	if err := await(ctx, t, gate); err != nil {
		return err
	}
	if err := t.State().Set("/phase", "whole"); err != nil {
		return err
	}
	if _, err := text.WriteString(" and whole."); err != nil {
		return err
	}
	return text.Close()
}

func await(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if err := t.Emit(&agui.Custom{Name: "test.waiting", Value: json.RawMessage("true")}); err != nil {
		return err
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitsInCall asks about one call, makes another when it may, and waits before either has a result.
func waitsInCall(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if _, err := groupchat.Once(t, "stream", func() (bool, error) { return true, streamCall(t, "asked-1") }); err != nil {
		return err
	}
	if _, err := t.Ask(groupchat.Question{Key: "go", Reason: "tool_call", Message: "Go?", ToolCallID: "asked-1"}); err != nil {
		return err
	}
	if err := streamCall(t, "made-1"); err != nil {
		return err
	}
	return await(ctx, t, gate)
}

// waitsThenAsks waits once, and then asks.
func waitsThenAsks(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if _, err := groupchat.Once(t, "wait", func() (bool, error) { return true, await(ctx, t, gate) }); err != nil {
		return err
	}
	return choose(t, sizes())
}

func waitsAfterAnswer(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	if _, err := t.Ask(sizes()); err != nil {
		return err
	}
	return waits(ctx, t, gate)
}

// desk is a team: a clerk that asks, then a porter that waits, then the end.
func desk(gate chan struct{}) *groupchat.Chat {
	return &groupchat.Chat{
		Description: "A desk", Manager: groupchat.Sequential(),
		Participants: []groupchat.Participant{
			{Name: "clerk", Description: "asks", Agent: groupchat.AgentFunc(asksSize)},
			{Name: "porter", Description: "carries", Agent: groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
				return waits(ctx, t, gate)
			})},
		},
		State: groupchat.StateSpec{Initial: json.RawMessage(`{"greeting":"hi","count":0}`)},
	}
}

// soon is a grace that a test waits for.
const soon = 20 * time.Millisecond
