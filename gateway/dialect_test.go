package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	scripts "github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/model"
)

// Pages that know questions as CUSTOM on_interrupt only, and cannot set a query, get them so from an agent that is set
// up for them.
func TestAnAgentMayAskInTheLegacyDialect(t *testing.T) {
	t.Parallel()
	team := loadTeam(t, `version: 1
agents:
  old: { type: script, interrupt_dialect: legacy, steps: [ { ask: { key: size, message: "Which?", options: [ S, L ] } } ] }
  new: { type: script, steps: [ { ask: { key: size, message: "Which?", options: [ S, L ] } } ] }
`)
	w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "old" })
	for path, legacy := range map[string]bool{
		"/agents/old":                       true,
		"/agents/old?interrupts=standard":   false,
		"/api/copilotkit/agent/old/run":     true,
		"/agents/new":                       false,
		"/agents/new?interrupts=legacy":     true,
		"/api/copilotkit/agent/new/run":     false,
		"/api/copilotkit/agent/old/connect": true,
	} {
		thread := strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path)
		if strings.Contains(path, "connect") {
			w.call(http.MethodPost, "/agents/old", input(thread, "r0", []string{"u:hi"}))
		}
		_, stream := w.call(http.MethodPost, path, pageInput(thread, "r", []string{"u:hi"}))
		if got := strings.Contains(stream, `"name":"on_interrupt"`); got != legacy || strings.Contains(stream, `"type":"interrupt"`) == legacy {
			t.Errorf("POST %s asks in the legacy dialect: %t, want %t:\n%s", path, got, legacy, stream)
		}
	}
}

// POST /subgraphs has no name of an agent in it: it is travel, or the only one there is.
func TestSubgraphsIsForTheOnlyAgent(t *testing.T) {
	t.Parallel()
	const one = "version: 1\nagents:\n  desk: { type: script, steps: [ { say: Hello. } ] }\n"
	for text, want := range map[string]int{
		one: http.StatusOK,
		one + "  shop: { type: script, steps: [ { say: Hi. } ] }\n":   http.StatusNotFound,
		one + "  travel: { type: script, steps: [ { say: Hi. } ] }\n": http.StatusOK,
	} {
		team := loadTeam(t, text)
		w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "" })
		if status, body := w.call(http.MethodPost, "/subgraphs", input("t", "r", []string{"u:hi"})); status != want {
			t.Errorf("POST /subgraphs = %d %s, want %d with\n%s", status, body, want, text)
		}
	}
}

// A type of agent that works without a model does so if configured, for any default model.
func TestAModelCanBeOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "team.yaml")
	const text = "version: 1\nmodels: { default: { api_key: k, model: m } }\nagents: { quiet: { type: demo, model: off }, loud: { type: demo } }\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	models := 0
	_, err := teamfile.Load(path, teamfile.Options{Types: map[string]teamfile.AgentType{"demo": func(m model.Model) groupchat.Agent {
		if m != nil {
			models++
		}
		return &scripts.Agent{Steps: []scripts.Step{{Say: "x"}}}
	}}})
	if err != nil || models != 1 {
		t.Errorf("Load() = %v, with %d agents that have a model, want 1", err, models)
	}
}

// A type of the program gateway that another program lacks is distinguished from a misspelling.
func TestTypesOfTheProgramAreNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nagents: { travel: { type: travel } }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := teamfile.Load(path, teamfile.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Types") {
		t.Errorf("Load() = %v, want it to say where types come from", err)
	}
}
