package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheAgentInTheReadmeCompiles holds the Go code of README.md to a runnable example: each of its lines stands
// there, in order.
func TestTheAgentInTheReadmeCompiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, "gateway", "example_agent_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go code")
	}
	rest := string(example)
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if line == "" || line == "// g is an http.Handler" {
			continue
		}
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("README.md has %q, which is not in the example, or not in this order", line)
		}
		rest = after
	}
}
