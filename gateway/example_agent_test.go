package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// shop is a gateway with the agent of README.md.
func shop() (*gateway.Gateway, error) {
	hello := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		if err := groupchat.Say(t, "Hello. Two sizes are left."); err != nil { // once, also after the answer
			return err
		}
		size, err := groupchat.Choose(t, groupchat.Question{Key: "size", Message: "Which size?"}, "S", "L")
		if err != nil {
			return err // the first time: the run ends and the question waits
		}
		return t.State().Set("/order/size", size) // sent to clients as a JSON Patch
	})
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"shop": hello}})
	return g, err
}

// An agent asks, and is entered again when the answer is there.
func ExampleNew_question() {
	g, err := shop()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()

	question := post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r1",
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	order := post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r2", "messages": [],
		"resume": [{"interruptId": "`+questionID(question)+`", "status": "resolved", "payload": "L"}]}`)
	fmt.Println(regexp.MustCompile(`"snapshot":{"order".*}`).FindString(order))
	// Output:
	// "snapshot":{"order":{"size":"L"}}}
}

// TestTheAgentOfTheReadmeTakesNoOtherAnswer answers it with what it did not offer, and cancels its question.
func TestTheAgentOfTheReadmeTakesNoOtherAnswer(t *testing.T) {
	t.Parallel()
	g, err := shop()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()
	question := post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r1",
		"messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`)
	answer := func(rest string) string {
		return post(server.URL, `{"protocolVersion": "1.0", "threadId": "t1", "runId": "r2", "messages": [],
			"resume": [{"interruptId": "`+questionID(question)+`", `+rest+`}]}`)
	}
	for _, wrong := range []string{`"XXXL"`, `7`, `null`, `{"size": "L"}`} {
		if got := answer(`"status": "resolved", "payload": ` + wrong); !strings.Contains(got, `"code":"resume_invalid"`) {
			t.Errorf("%s is taken: %s", wrong, got)
		}
	}
	cancelled := answer(`"status": "cancelled"`)
	if strings.Contains(cancelled, "RUN_ERROR") || strings.Contains(cancelled, "order") || !strings.Contains(cancelled, "RUN_FINISHED") {
		t.Errorf("cancelled: %s", cancelled)
	}
}

// questionID is the id of the question that a stream ends with.
func questionID(stream string) string {
	return regexp.MustCompile(`int_[-0-9a-f]+`).FindString(stream)
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
