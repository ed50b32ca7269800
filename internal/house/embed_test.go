package house

import (
	"os/exec"
	"strings"
	"testing"
)

// TestEmbeddersImportOnlyTheService wants a program that embeds the gateway, or has its own agents, to build neither
// the libraries of team files nor those of MCP servers, of models and of tokens: these come with the packages that need
// them.
func TestEmbeddersImportOnlyTheService(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"gateway", "groupchat"} {
		command := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+dir) //nolint:gosec // the two above
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		imported := strings.Fields(string(out))
		for _, lib := range []string{
			"go.yaml.in/yaml/v4", "github.com/modelcontextprotocol/go-sdk", "github.com/sashabaranov/go-openai", "github.com/lestrrat-go/jwx/v3",
			module + "/mcp", module + "/model/openai", module + "/gateway/teamfile", module + "/gateway/auth",
		} {
			for _, pkg := range imported {
				if within(pkg, lib) {
					t.Errorf("%s imports %s, which only those need who choose it", dir, pkg)
				}
			}
		}
		if len(imported) < 50 {
			t.Errorf("go list names %d packages, want all that %s imports", len(imported), dir)
		}
	}
}
