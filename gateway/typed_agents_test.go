package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// typedAnswers are the options of the agents that take messages for answers.
func typedAnswers(gate chan struct{}) map[string]gateway.AgentOptions {
	without, with := &gateway.TypedAnswers{}, &gateway.TypedAnswers{Model: reads(gate)}
	return map[string]gateway.AgentOptions{
		"typed": {TypedAnswers: without}, "typed-both": {TypedAnswers: without}, "typed-steps": {TypedAnswers: without},
		"typed-mixed": {TypedAnswers: without}, "typed-fails": {TypedAnswers: without}, "typed-desk": {TypedAnswers: without},
		"typed-queue": {TypedAnswers: without, OnBusy: gateway.Queue}, "typed-model": {TypedAnswers: with},
		"typed-supersede": {TypedAnswers: with, OnBusy: gateway.Supersede}, "typed-approve": {TypedAnswers: with},
	}
}

// reads is a model that knows what some messages mean as a size, and waits at the gate for any other.
func reads(gate chan struct{}) model.Model {
	return model.Func(func(ctx context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		var asked struct{ Question, Message string }
		if err := json.Unmarshal([]byte(r.Messages[1].Text), &asked); err != nil || r.Schema == nil || asked.Question == "" {
			return model.Reply{}, fmt.Errorf("a model is asked %q: %w", r.Messages[1].Text, err)
		}
		tokens := int64(7)
		used := agui.TokenUsage{Provider: "test", Model: "reader", InputTokens: &tokens}
		switch asked.Message {
		case "the biggest":
			return model.Reply{Text: `{"answer":3,"reply":null}`, Usage: used}, nil
		case "the fourth of them":
			return model.Reply{Text: `{"answer":4,"reply":null}`, Usage: used}, nil
		case "was kostet das":
			return model.Reply{Text: `{"answer":null,"reply":"Ich weiß nicht, ob S, M oder L gemeint ist."}`, Usage: used}, nil
		case "away":
			return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("nobody is there")}
		case "nonsense":
			return model.Reply{Text: "Certainly! I booked L for you.", Usage: used}, nil
		}
		select {
		case <-gate:
			return model.Reply{Text: `{"answer":1,"reply":null}`, Usage: used}, nil
		case <-ctx.Done():
			return model.Reply{}, context.Cause(ctx)
		}
	})
}

// booksOnce is a model that wants to book, and repeats the result.
func booksOnce(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	for i, m := range r.Messages {
		if len(m.Calls) > 0 {
			return model.Reply{Text: "It is " + r.Messages[i+1].Text + "."}, nil
		}
	}
	return model.Reply{Calls: []model.Call{{Name: "book", Arguments: `{"what":"it"}`}}}, nil
}

func bookTool() groupchat.Tool {
	return groupchat.Tool{Name: "book", Approve: tools.ApproveAlways, Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
		return tools.Text("booked"), nil
	}}
}
