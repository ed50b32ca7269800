package groupchat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/model"
)

// weather is a model's server that knows one conversation: it asks for the weather, and says what it learned.
func weather(w http.ResponseWriter, r *http.Request) {
	request, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	delta, finish := `{"tool_calls":[{"index":0,"id":"c","function":{"name":"forecast","arguments":"{\"city\":\"Paris\"}"}}]}`, "tool_calls"
	if strings.Contains(string(request), "18 degrees") {
		delta, finish = `{"content":"Take a coat."}`, "stop"
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", delta, finish)
}

func ExampleLLM() {
	server := httptest.NewServer(http.HandlerFunc(weather))
	defer server.Close()
	model, err := model.New(model.Options{BaseURL: server.URL, Name: "mock"})
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
	assistant := &groupchat.LLM{Model: model, Instructions: "Help with clothes.", Tools: []groupchat.Tool{forecast}}
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "assistant", Agent: assistant}}}
	if err := team.Validate(); err != nil {
		fmt.Println(err)
	}
	_, err = host.Execute(context.Background(), team, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// assistant: Take a coat.
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
				return nil, &groupchat.ToolError{Text: "At most 10 can be ordered."} // the model may read this
			}
			return map[string]any{"ordered": in.Product, "idempotencyKey": c.Key}, nil
		})
	tool.Approve = groupchat.ApproveAlways // a person is asked before it runs
	fmt.Println(string(tool.Parameters))
	result, err := tool.Call(context.Background(), groupchat.ToolCall{Key: "k1", Arguments: json.RawMessage(`{"product":"tea"}`)})
	fmt.Println(result.Content.Text(), err)
	// Output:
	// {"type":"object","properties":{"product":{"type":"string","description":"what to order"},"count":{"type":"integer"}},"required":["product"],"additionalProperties":false}
	// {"idempotencyKey":"k1","ordered":"tea"} <nil>
}
