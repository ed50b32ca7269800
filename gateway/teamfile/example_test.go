package teamfile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
)

// A team file becomes the agents of a gateway.
func ExampleLoad() {
	path, remove := write(`version: 1
agents:
  greeter:
    type: script
    description: Says hello
    steps:
      - say: "Hello."
`)
	defer remove()
	team, err := teamfile.Load(path, teamfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer team.Close()

	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()
	response, err := http.Get(server.URL + "/agents")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	list, err := io.ReadAll(response.Body)
	fmt.Println(string(list), err)
	// Output:
	// {"agents":[{"id":"greeter","description":"Says hello","interrupts":false,"typedAnswers":false,"participants":[],"team":{"kind":"script"},"suggestions":false,"writable":[""]}]}
	//  <nil>
}

// A program gives the agents of a file functions that they may call.
func ExampleOptions_tools() {
	path, remove := write(`version: 1
models: { default: { base_url: "http://127.0.0.1:1/v1", model: m } }
agents:
  clerk: { type: llm, instructions: Help with orders., tools: [ { tool: stock, timeout: 5s }, { tool: order, approve: always } ] }
  guest: { type: llm, instructions: Help with orders., tools: [ { tool: price } ] }
`)
	defer remove()
	type item struct {
		Item string `json:"item"`
	}
	tools := map[string]groupchat.Tool{
		"stock": groupchat.NewTool("stock", "How many there are", func(context.Context, groupchat.ToolCall, item) (int, error) { return 7, nil }),
		"order": groupchat.NewTool("order", "Orders one", func(context.Context, groupchat.ToolCall, item) (string, error) { return "ordered", nil }),
	}
	_, err := teamfile.Load(path, teamfile.Options{Tools: tools})
	if wrong, ok := errors.AsType[*teamfile.Error](err); ok {
		fmt.Println(wrong.Problems[0].Text)
	}

	tools["price"] = groupchat.NewTool("price", "What one costs", func(context.Context, groupchat.ToolCall, item) (string, error) { return "3 EUR", nil })
	team, err := teamfile.Load(path, teamfile.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer team.Close()
	for _, part := range team.Parts.Tools {
		fmt.Println("line", part.Line, part.Name)
	}
	// Output:
	// "price" is no tool of this program; it has order, stock
	// line 4 stock
	// line 4 order
	// line 5 price
}

// All mistakes of a file are reported at once, each in its place.
func ExampleError() {
	path, remove := write(`version: 1
agents:
  greeter:
    type: script
    disconnect: never
    steps:
      - sleep: 3
`)
	defer remove()
	_, err := teamfile.Load(path, teamfile.Options{})
	if wrong, ok := errors.AsType[*teamfile.Error](err); ok {
		for _, p := range wrong.Problems {
			fmt.Printf("line %d, column %d: %s\n", p.Line, p.Column, p.Text)
		}
	}
	// Output:
	// line 5, column 17: "never" is none of the choices; write cancel or detach
	// line 7, column 16: not a length of time; write a number above 0 with its unit, such as 500ms, 30s, 10m or 24h
}

// write writes a team file that holds text.
func write(text string) (path string, remove func()) {
	dir, err := os.MkdirTemp("", "team")
	if err != nil {
		panic(err)
	}
	path = filepath.Join(dir, "team.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return path, func() { _ = os.RemoveAll(dir) }
}
