package teamfile_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
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
	// {"agents":[{"id":"greeter","description":"Says hello","interrupts":false,"participants":[],"team":{"kind":"script"}}]}
	//  <nil>
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
