package copilotkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// A page first requests the list of agents, by its route or in an envelope, and then suggestions: agents that implement
// [groupchat.Suggester] answer with a call of CopilotKit's tool.
func Example() {
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"shop": shop{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()
	runtimeURL := server.URL + copilotkit.Base

	var info struct {
		Agents map[string]struct{ Description string }
	}
	if err := json.Unmarshal([]byte(post(runtimeURL, `{"method": "info"}`)), &info); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Agents["shop"].Description)

	stream := post(runtimeURL+"/agent/shop/suggest", `{"threadId": "t1", "runId": "r1", "messages": [], "context": [],
		"tools": [{"name": "copilotkitSuggest", "description": "", "parameters": {}}]}`)
	for line := range strings.Lines(stream) {
		var event struct{ Type, Delta string }
		data, ok := strings.CutPrefix(line, "data: ")
		if ok && json.Unmarshal([]byte(data), &event) == nil && event.Type == "TOOL_CALL_ARGS" {
			fmt.Print(event.Delta)
		}
	}
	// Output:
	// Sells shirts
	// {"suggestions":[{"title":"Sizes","message":"Which sizes are left?"}]}
}

// A shop is an agent that describes itself and makes suggestions.
type shop struct{}

func (shop) Describe() profile.Info { return profile.Info{Description: "Sells shirts"} }

func (shop) Run(_ context.Context, t *groupchat.Turn) error {
	return groupchat.Say(t, "S and L are left.")
}

func (shop) Suggest(context.Context, groupchat.Situation) ([]groupchat.Suggestion, error) {
	return []groupchat.Suggestion{{Title: "Sizes", Message: "Which sizes are left?"}}, nil
}

// post returns the body of the answer to a JSON body.
func post(url, body string) string {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	data, _ := io.ReadAll(response.Body)
	return string(data)
}
