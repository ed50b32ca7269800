package teamfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoServersWithOneTool is a mistake where the file names the tools. Else only the servers know: Parts.Agents asks
// them.
func TestTwoServersWithOneTool(t *testing.T) {
	t.Parallel()
	for tools, want := range map[string]string{
		`{ mcp: staging, only: [ delete_file ] }, { mcp: production, only: [ read, delete_file ] }`:          `several sources have a tool "delete_file"`,
		`{ mcp: staging, only: [ delete_file ] }, { mcp: production, only: [ delete_file ], prefix: live_ }`: "",
		`{ mcp: staging, only: [ delete_file ] }, { tool: lookup, name: delete_file }`:                       `several sources have a tool "delete_file"`,
		`{ mcp: staging, only: [ file ], prefix: delete_ }, { mcp: production, only: [ delete_file ] }`:      `several sources have a tool "delete_file"`,
		`{ mcp: staging }, { mcp: production }`:                                                              "",
	} {
		path := filepath.Join(t.TempDir(), "team.yaml")
		const head = `version: 1
models: { default: { base_url: "http://127.0.0.1:1/v1", model: x } }
mcp: { staging: { url: "http://127.0.0.1:2/mcp" }, production: { url: "http://127.0.0.1:3/mcp" } }
agents: { a: { type: llm, remember: [ thread ], tools: [ `
		if err := os.WriteFile(path, []byte(head+tools+" ] } }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		team, err := Load(path, testOptions(nil))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Load() = %v, want %q", tools, err, want)
		}
		if err == nil {
			if len(team.Parts.Agents) != 1 || team.Parts.Agents[0].Name != "a" {
				t.Errorf("%s: agents with tools of servers are %v", tools, team.Parts.Agents)
			}
			_ = team.Close()
		}
	}
}
