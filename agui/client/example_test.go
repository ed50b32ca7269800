package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

func ExampleClient_Run() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}

data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","role":"assistant","delta":"Hello."}

data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}

`)
	}))
	defer server.Close()

	remote, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := client.Request{Input: agui.RunAgentInput{ThreadID: "t1", RunID: "r1", Messages: agui.List[agui.Message]{
		{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hi!")},
	}}}
	for event, err := range remote.Run(context.Background(), request) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(agui.TypeOf(event))
	}
	// Output:
	// RUN_STARTED
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}
