package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// Capabilities list the known abilities of an agent only.
func TestCapabilitiesTellOfTheAgent(t *testing.T) {
	t.Parallel()
	team := loadTeam(t, `version: 1
models: { thinks: { api_key: k, model: m, effort: low } }
mcp: { files: { url: "http://127.0.0.1:1/mcp" } }
agents:
  speaks: { type: script, steps: [ { say: x } ] }
  maps: { type: script, steps: [ { tool: { name: show_map } } ] }
  far: { type: agui, url: "http://127.0.0.1:1/x" }
  plain: { type: llm }
  shy: { type: llm, frontend_tools: off }
  thinker: { type: llm, model: thinks }
  asks: { type: llm, tools: [ { mcp: files } ], approve: always }
  works: { type: llm, frontend_tools: off, tools: [ { mcp: files } ] }
  clerk: { type: llm, description: Takes orders, serve: on, approve: always, tools: [ { mcp: files } ] }
  caller: { type: llm, frontend_tools: off, tools: [ { agent: clerk, approve: never } ] }
  support:
    type: groupchat
    manager: { type: handoff, start: one, edges: { one: [ two ] } }
    participants: [ { name: one, type: llm }, { name: two, type: llm, model: thinks } ]
  line: { type: groupchat, manager: { type: sequential }, participants: [ { name: a, type: script, steps: [ { say: x } ] } ] }
`)
	agents := team.Agents
	agents["own"] = groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })
	w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = agents, team.Options, "own" })
	for name, want := range map[string]string{
		"own": "", "speaks": "", "line": "delegation",
		"maps":    "clientProvided tools",
		"far":     "clientProvided interrupts people tools",
		"plain":   "clientProvided tools",
		"shy":     "",
		"thinker": "clientProvided reasoning reasoning.streaming tools",
		"asks":    "approvals approveWithEdits clientProvided interrupts people tools",
		"works":   "approvals approveWithEdits interrupts people tools", // its server's tools may do harm
		"clerk":   "approvals approveWithEdits clientProvided interrupts people tools",
		"caller":  "approvals approveWithEdits clientProvided delegation interrupts people tools",
		"support": "clientProvided delegation handoffs reasoning reasoning.streaming tools",
	} {
		_, body := w.call(http.MethodGet, "/agents/"+name+"/capabilities", "")
		var c struct {
			Tools          struct{ Supported, ClientProvided bool }
			Reasoning      struct{ Supported, Streaming bool }
			MultiAgent     struct{ Delegation, Handoffs bool }
			HumanInTheLoop struct{ Supported, Interrupts, Approvals, ApproveWithEdits bool }
		}
		if err := json.Unmarshal([]byte(body), &c); err != nil {
			t.Fatal(err)
		}
		var got []string
		for told, is := range map[string]bool{
			"tools": c.Tools.Supported, "clientProvided": c.Tools.ClientProvided, "reasoning": c.Reasoning.Supported, "reasoning.streaming": c.Reasoning.Streaming,
			"delegation": c.MultiAgent.Delegation, "handoffs": c.MultiAgent.Handoffs, "people": c.HumanInTheLoop.Supported,
			"interrupts": c.HumanInTheLoop.Interrupts, "approvals": c.HumanInTheLoop.Approvals, "approveWithEdits": c.HumanInTheLoop.ApproveWithEdits,
		} {
			if is {
				got = append(got, told)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s can %v, want %s: %s", name, got, want, body)
		}
	}
}
