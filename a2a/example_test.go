package a2a_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

func Example() {
	const card = `{"name": "Greeter", "supportedInterfaces": [{"url": "/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}`
	const answer = `{"jsonrpc": "2.0", "id": "1", "result": {"message": {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "Good day."}]}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprint(w, card)
			return
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	defer server.Close()
	agent, err := a2a.New(a2a.Options{Options: client.Options{URL: server.URL}})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := agui.RunAgentInput{ThreadID: "t1", RunID: "r1", Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hello")}}}
	for e, err := range agent.Run(context.Background(), client.Request{Input: in}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(agui.TypeOf(e))
	}
	// Output:
	// RUN_STARTED
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}
