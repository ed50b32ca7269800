package main

import (
	"bytes"
	"strings"
	"testing"
)

// $NAME is no variable in a team file, and a key with that value is refused by its server much later. validate and the
// start warn of it, and not of intended text.
func TestVariablesWithoutBracesAreWarnedOf(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "team.yaml", `version: 1
models:
  default: { base_url: "http://127.0.0.1:1/v1", api_key: $TEAM_KEY, model: m }
mcp:
  files: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer $TEAM_TOKEN", X-Tenant: "a$b" } }
agents:
  desk: { type: llm, description: "Prices are in $USD and $EUR", instructions: "Say $TEAM_SET.", tools: [ { mcp: files } ] }
`)
	var out, complaints bytes.Buffer
	code := run(t.Context(), []string{"validate", "-config", path}, environment(map[string]string{"TEAM_SET": "a secret value"}), &out, &complaints)
	if code != exitOK || !strings.Contains(out.String(), "is good") {
		t.Errorf("validate = %d, %s%s", code, &out, &complaints)
	}
	lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
	wants := []string{path + ":3:58: $TEAM_KEY ", path + ":5:69: $TEAM_TOKEN ", path + ":7:80: $TEAM_SET "}
	if len(lines) != len(wants) || strings.Contains(complaints.String(), "secret") {
		t.Fatalf("the warnings are\n%s", &complaints)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) {
			t.Errorf("a warning lacks %q: %s", want, lines[i])
		}
	}
	url, stop := startServer(t, "-config", path)
	if status, _ := get(t, "GET", url+"/agents", ""); status != 200 {
		t.Errorf("GET /agents = %d", status)
	}
	_, log := stop()
	if n := strings.Count(log, "$TEAM_KEY "); n != 1 {
		t.Errorf("the log warns %d times:\n%s", n, log)
	}
}
