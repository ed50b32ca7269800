package groupchat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

func ExampleLLM() {
	// A server that asks for the weather first, and then says what to wear. A real one has another URL and wants a Key.
	server := httptest.NewServer(openaitest.Serve(openaitest.Calls("forecast", `{"city":"Paris"}`), openaitest.Text("Take a coat.")))
	defer server.Close()
	m, err := openai.New(openai.Options{BaseURL: server.URL, Name: "mock"})
	if err != nil {
		fmt.Println(err)
		return
	}
	type place struct {
		City string `json:"city" jsonschema:"the city's name"`
	}
	forecast := groupchat.NewTool("forecast", "Tells the weather of tomorrow",
		func(_ context.Context, _ groupchat.ToolCall, in place) (string, error) {
			return "18 degrees in " + in.City, nil
		})
	assistant := &groupchat.LLM{Model: m, Instructions: "Help with clothes.", Tools: []groupchat.Tool{forecast}}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "assistant", Agent: assistant}}}
	if err := team.Validate(); err != nil {
		fmt.Println(err)
	}
	_, err = groupchat.Execute(context.Background(), team, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// assistant: Take a coat.
	// error: <nil>
}

// A phrasebook is a model that needs no server. A real one would send the request somewhere, and stream the reply piece
// by piece.
type phrasebook map[string]string

func (p phrasebook) Stream(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	phrase := r.Messages[len(r.Messages)-1].Text
	translated, ok := p[phrase]
	if !ok {
		return model.Reply{}, &errcode.Error{Code: errcode.ModelResponse, Err: errors.New("the phrase is not in the book")}
	}
	if on.Text != nil {
		if err := on.Text(translated); err != nil {
			return model.Reply{}, err
		}
	}
	return model.Reply{Text: translated}, nil
}

func ExampleLLM_ownModel() {
	translator := &groupchat.LLM{Model: phrasebook{"Where is the station?": "Où est la gare ?"}}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "translator", Agent: translator}}}
	s := session(nil, nil)
	question := agui.Message{ID: "q", Role: agui.RoleUser, Content: agui.TextContent("Where is the station?")}
	if err := s.Run.Emit(&agui.MessagesSnapshot{Messages: []agui.Message{question}}); err != nil {
		fmt.Println(err)
	}
	_, err := groupchat.Execute(context.Background(), team, s)
	fmt.Println("error:", err)
	// Output:
	// translator: Où est la gare ?
	// error: <nil>
}

func ExampleNewTool() {
	type order struct {
		Product string `json:"product" jsonschema:"what to order"`
		Count   int    `json:"count,omitempty"`
	}
	tool := groupchat.NewTool("order", "Orders a product",
		func(_ context.Context, c groupchat.ToolCall, in order) (map[string]any, error) {
			if in.Count > 10 {
				return nil, &tools.Error{Text: "At most 10 can be ordered."} // the model may read this
			}
			return map[string]any{"ordered": in.Product, "idempotencyKey": c.Key}, nil
		})
	tool.Approve = tools.ApproveAlways // a person is asked before it runs
	fmt.Println(string(tool.Parameters))
	result, err := tool.Call(context.Background(), groupchat.ToolCall{Key: "k1", Arguments: json.RawMessage(`{"product":"tea"}`)})
	fmt.Println(result.Content.Text(), err)
	// Output:
	// {"type":"object","properties":{"product":{"type":"string","description":"what to order"},"count":{"type":"integer"}},"required":["product"],"additionalProperties":false}
	// {"idempotencyKey":"k1","ordered":"tea"} <nil>
}
