package copilotkit_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/groupchat"
)

// A page whose runtimeUrl is a gateway's finds the protocol below Base.
func Example() {
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

	body := strings.NewReader(`{"threadId": "t1", "runId": "r1", "tools": [], "context": [],
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	response, err := http.Post(server.URL+copilotkit.Base+"/agent/hello/run", "application/json", body)
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
