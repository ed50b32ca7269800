package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	goBlock     = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	packageLine = regexp.MustCompile(`(?m)^package \w+$`)
)

// TestTheAgentInTheReadmeRuns compares the agent in README.md with a runnable example: each of its lines is there, in
// the same order.
func TestTheAgentInTheReadmeRuns(t *testing.T) {
	t.Parallel()
	code := goBlock.FindString(read(t, root, "README.md"))
	_, agent, found := strings.Cut(code, "func main() {\n")
	agent, _, closed := strings.Cut(agent, "\tif err != nil {\n\t\tlog.Fatal(err)")
	if !found || !closed {
		t.Fatal("README.md has no Go program with an agent")
	}
	rest := read(t, root, "gateway", "example_agent_test.go")
	for line := range strings.Lines(agent) {
		line = strings.TrimSpace(line)
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("README.md has %q, which is not in the example, or not in this order", line)
		}
		rest = after
	}
}

// TestGoProgramsOfTheDocsCompile runs go vet on each block of Go in README.md and docs that has a package clause.
func TestGoProgramsOfTheDocsCompile(t *testing.T) {
	t.Parallel()
	documents := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	programs := 0
	for _, document := range documents {
		for _, block := range goBlock.FindAllStringSubmatch(read(t, document), -1) {
			if !packageLine.MatchString(block[1]) {
				continue // a part of a program
			}
			programs++
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "vet", file) //nolint:gosec // the file above
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", document, err, out)
			}
		}
	}
	if programs < 5 {
		t.Errorf("found %d programs, want those of README.md and docs/go.md", programs)
	}
}

// The limits of documents: those of README.md, and the lines of a page of docs, which has a contents list if it has
// sections and more lines than a screen.
const (
	maxReadmeLines = 150
	maxReadmeWords = 1500
	maxPageLines   = 250
	screenLines    = 60
)

// unsplit are pages of docs that are longer, or have no contents list.
var unsplit = map[string]bool{"design.md": true}

var contents = regexp.MustCompile(`(?m)^- .*\]\(#`)

// TestTheReadmeIsShort wants README.md to be read in some minutes, without a line that is wider than a screen.
func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	text := read(t, root, "README.md")
	lines, words := strings.Count(text, "\n"), len(strings.Fields(text))
	if lines > maxReadmeLines || words > maxReadmeWords {
		t.Errorf("README.md has %d lines and %d words, more than %d and %d", lines, words, maxReadmeLines, maxReadmeWords)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabWidth-1); n > maxColumns && line[0] != '|' {
			t.Errorf("README.md has a line of %d columns: %s", n, line)
		}
	}
}

// TestPagesHaveContents wants pages of docs to be short, and the longer ones to begin with a contents list.
func TestPagesHaveContents(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(documents) == 0 {
		t.Fatalf("found %d pages: %v", len(documents), err)
	}
	for _, document := range documents {
		name, text := filepath.Base(document), read(t, document)
		lines := strings.Count(text, "\n")
		if unsplit[name] {
			continue
		}
		if lines > maxPageLines {
			t.Errorf("docs/%s has %d lines, more than %d: split it by task", name, lines, maxPageLines)
		}
		before, _, sections := strings.Cut(text, "\n## ")
		if sections && lines > screenLines && !contents.MatchString(before) {
			t.Errorf("docs/%s has %d lines and no contents list before its first section", name, lines)
		}
	}
}
