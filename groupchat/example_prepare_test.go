package groupchat_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/document"
)

// parrot is a model that repeats its request.
var parrot = model.Func(func(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	text := ""
	for _, m := range r.Messages {
		text += "[" + string(m.Role) + "] " + m.Text + " "
	}
	for _, t := range r.Tools {
		text += "(" + t.Name + ")"
	}
	return model.Reply{Text: text}, on.Text(text)
})

func ExampleProvider() {
	refund := groupchat.NewTool("refund", "Pays money back", func(context.Context, groupchat.ToolCall, struct{}) (string, error) { return "paid", nil })
	// Facts about the user are in front of the conversation, and some tools are only for some callers.
	forCaller := func(_ context.Context, t *groupchat.Turn, p *groupchat.Prepared) error {
		p.Before = append(p.Before, groupchat.Message{Role: agui.RoleUser, Name: "memory", Content: agui.TextContent("Prefers short answers.")})
		if t.Principal().Has("clerk") {
			p.Tools = append(p.Tools, refund)
		}
		return nil
	}
	agent := &groupchat.LLM{Model: parrot, Instructions: "Help.", Prepare: []groupchat.Provider{forCaller}}
	s := session(nil, nil)
	s.Input.Principal = groupchat.Principal{ID: "ada", Roles: []string{"clerk"}}
	_, err := groupchat.Execute(context.Background(), agent, s)
	fmt.Println("error:", err)
	// Output:
	// : [system] Help. [user] memory: Prefers short answers. (refund)
	// error: <nil>
}

func ExampleWithContract() {
	writer := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return t.State().Set("/text", 42) // it should have been words
	})
	report := groupchat.WithContract(writer, groupchat.Contract{
		Inputs:  json.RawMessage(`{"required":["topic"],"properties":{"topic":{"type":"string"}}}`),
		Outputs: json.RawMessage(`{"required":["text"],"properties":{"text":{"type":"string"}}}`),
	})
	team := func(in map[string]string) *groupchat.Chat {
		scope := groupchat.Scoping{Kind: groupchat.ScopeMapped, Mapping: document.Mapping{In: in, Out: map[string]string{"/text": "/draft"}}}
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "writer", Agent: report, Scope: scope}}}
	}
	fmt.Println(team(nil).Validate())
	for _, from := range []string{"/nowhere", "/topic"} {
		_, err := groupchat.Execute(context.Background(), team(map[string]string{"topic": from}), session(nil, nil))
		fmt.Println(errcode.Of(err), "-", err)
	}
	// Output:
	// chat: participant "writer": its contract requires the input "topic", which is not given
	// contract_violation - writer: contract_violation: groupchat: writer: the inputs break the contract: state: answer does not match its schema: /: required
	// contract_violation - writer: contract_violation: groupchat: writer: the outputs break the contract: state: answer does not match its schema: /text: type
}
