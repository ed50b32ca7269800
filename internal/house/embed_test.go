package house

import (
	"os/exec"
	"strings"
	"testing"
)

// TestEmbeddersImportOnlyTheService wants a program that embeds the gateway to build neither the libraries of team files nor those
// of MCP servers.
func TestEmbeddersImportOnlyTheService(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "./gateway")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imported := strings.Fields(string(out))
	for _, lib := range []string{"go.yaml.in/yaml/v4", "github.com/modelcontextprotocol/go-sdk", module + "/mcp", module + "/gateway/teamfile"} {
		for _, pkg := range imported {
			if within(pkg, lib) {
				t.Errorf("gateway imports %s, which only team files need", pkg)
			}
		}
	}
	if len(imported) < 50 {
		t.Errorf("go list names %d packages, want all that gateway imports", len(imported))
	}
}
