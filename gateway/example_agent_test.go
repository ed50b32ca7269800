package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// An agent asks, and is entered again when the answer is there.
func ExampleNew_question() {
	hello := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		if err := groupchat.Say(t, "hello", "Hello. Two sizes are left."); err != nil { // once, also after the answer
			return err
		}
		answer, err := t.Ask(groupchat.Question{Key: "size", Message: "Which size?", Options: []string{"S", "L"}})
		if err != nil {
			return err // the first time: the run ends here and the question waits
		}
		return t.State().Set("/order/size", answer.Payload) // on the wire when it returns
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"shop": hello}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()

	question := post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r1",
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	id := regexp.MustCompile(`int_[-0-9a-f]+`).FindString(question)
	order := post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r2", "messages": [],
		"resume": [{"interruptId": "`+id+`", "status": "resolved", "payload": "L"}]}`)
	fmt.Println(regexp.MustCompile(`"snapshot":{"order".*}`).FindString(order))
	// Output:
	// "snapshot":{"order":{"size":"L"}}}
}

// post runs the shop and returns its stream as it is.
func post(url, body string) string {
	response, err := http.Post(url+"/agents/shop", "application/json", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	var stream strings.Builder
	if err := response.Write(&stream); err != nil {
		return err.Error()
	}
	return stream.String()
}
