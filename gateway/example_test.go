package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// A gateway is an http.Handler that serves agents.
func ExampleNew() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Say(t, "hello", "Hello.")
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()

	body := strings.NewReader(`{"protocolVersion": "1.0", "threadId": "t1", "runId": "r1",
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	response, err := http.Post(server.URL+"/agents/hello", "application/json", body)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if _, event, ok := strings.Cut(lines.Text(), `data: {"type":"`); ok {
			name, _, _ := strings.Cut(event, `"`)
			fmt.Println(name)
		}
	}
	// Output:
	// RUN_STARTED
	// STATE_SNAPSHOT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// STATE_SNAPSHOT
	// MESSAGES_SNAPSHOT
	// RUN_FINISHED
}

// A gateway serves from the root of whatever it is given, so a program mounts it beside its own routes under a prefix.
func ExampleNew_prefix() {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.Say(t, "hello", "Hello.")
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	mux := http.NewServeMux()
	mux.Handle("/ai/", http.StripPrefix("/ai", g))
	server := httptest.NewServer(mux)
	defer server.Close()

	for _, path := range []string{"/ai/readyz", "/ai/agents"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Println(path, response.Status)
	}
	// Output:
	// /ai/readyz 200 OK
	// /ai/agents 200 OK
}
