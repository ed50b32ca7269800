package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
)

// loadTeam reads a team file that holds text.
func loadTeam(t *testing.T, text string) *teamfile.Team {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teamfile.Load(path, teamfile.Options{Model: openai.Options{Key: "k", Name: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := team.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return team
}

// TestAgentsThatOthersUseAreNotServed by themselves unless the file says so. On every route they do not exist.
func TestAgentsThatOthersUseAreNotServed(t *testing.T) {
	t.Parallel()
	team := loadTeam(t, `version: 1
agents:
  part: { type: script, description: Takes part, steps: [ { say: x } ] }
  tool: { type: script, description: Is a tool, steps: [ { say: x } ] }
  remote: { type: agui, description: Is far away, url: "http://127.0.0.1:1/x", headers: { Authorization: Bearer of-the-operator } }
  both: { type: script, description: Does both, serve: on, steps: [ { say: x } ] }
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: one, agent: part }
      - { name: two, agent: both }
      - name: inner
        type: concurrent
        participants: [ { name: far, agent: remote } ]
  caller: { type: llm, tools: [ { agent: tool } ] }
  off: { type: script, serve: off, steps: [ { say: x } ] }
`)
	w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "part" })
	_, agents := w.call(http.MethodGet, "/agents", "")
	_, info := w.call(http.MethodGet, "/api/copilotkit/info", "")
	body := input("t", "r", []string{"u:hi"})
	routes := []struct{ method, path, body string }{
		{http.MethodPost, "/agents/NAME", body},
		{http.MethodGet, "/agents/NAME/capabilities", ""},
		{http.MethodPost, "/api/copilotkit/agent/NAME/run", body},
		{http.MethodPost, "/api/copilotkit/agent/NAME/connect", body},
		{http.MethodPost, "/api/copilotkit/agent/NAME/suggest", body},
		{http.MethodPost, "/api/copilotkit/agent/NAME/stop/t", "{}"},
		{http.MethodPost, "/api/copilotkit", `{"method":"agent/run","params":{"agentId":"NAME"},"body":` + body + `}`},
		{http.MethodGet, "/threads?agent=NAME", ""},
		{http.MethodGet, "/api/copilotkit/threads?agentId=NAME", ""},
		{http.MethodGet, "/threads/t?agent=NAME", ""},
		{http.MethodPost, "/threads/t/resume?agent=NAME", `{"resume":[{"interruptId":"x","status":"cancelled"}]}`},
	}
	ask := func(name string, i int) string {
		status, answer := w.call(routes[i].method, strings.ReplaceAll(routes[i].path, "NAME", name), strings.ReplaceAll(routes[i].body, "NAME", name))
		return http.StatusText(status) + " " + strings.ReplaceAll(answer, name, "NAME")
	}
	for _, name := range []string{"part", "tool", "remote", "off"} {
		for i, route := range routes {
			if got, want := ask(name, i), ask("nobody", i); got != want {
				t.Errorf("%s %s of %s = %s, want what one gets that does not exist: %s", route.method, route.path, name, got, want)
			}
		}
		if strings.Contains(agents, `"id":`+quote(name)) || strings.Contains(info, quote(name)+`:{`) {
			t.Errorf("%s is listed: %s %s", name, agents, info)
		}
	}
	if status, _ := w.call(http.MethodPost, "/subgraphs", body); status != http.StatusNotFound {
		t.Errorf("POST /subgraphs = %d for one that is not served", status)
	}
	for _, name := range []string{"both", "desk", "caller"} {
		if !strings.Contains(agents, `"id":`+quote(name)) || !strings.Contains(info, quote(name)+`:{`) {
			t.Errorf("%s is not listed: %s %s", name, agents, info)
		}
	}
}
