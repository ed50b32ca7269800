package langgraph_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/langgraph"
)

// An assistant of a LangGraph server is a participant like any.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path[max(0, len(r.URL.Path)-len("/stream")):] {
		case "POST /stream": // of a new run
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `event: metadata
data: {"run_id": "1f0e"}

event: messages
data: [{"id": "m1", "type": "AIMessageChunk", "content": "Take an umbrella."}, {"langgraph_node": "speak"}]

`)
		default:
			_, _ = io.WriteString(w, `{"status": "success", "values": {}}`)
		}
	}))
	defer server.Close()

	c, err := langgraph.New(langgraph.Options{Options: client.Options{URL: server.URL}, Assistant: "weather"})
	if err != nil {
		fmt.Println(err)
		return
	}
	weather, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: server.URL, Client: c})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := thread.New(weather, thread.Options{}).Say(context.Background(), "Will it rain?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output: Take an umbrella.
}
