package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sizeLine is a line of docs/size.txt: a number of lines, a tab, the reason for the change.
var sizeLine = regexp.MustCompile(`^(\d+)\t(\S.{9,})$`)

// slack is how many lines the tree may have less than docs/size.txt says. A larger saving is recorded, so that nothing
// uses it up unseen.
const slack = 100

// TestSize holds the size of the binary's own Go to the last line of docs/size.txt. Code in another module of this
// repository counts.
func TestSize(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "./cmd/gateway")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	got, err := countLines(root, strings.Fields(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	want, problem := lastSize(read(t, root, "docs/size.txt"))
	if problem != "" {
		t.Fatalf("docs/size.txt: %s", problem)
	}
	if got > want || got < want-slack {
		t.Errorf("the binary's own Go has %d lines, docs/size.txt says %d (%+d): make it smaller, or add a line with the number and the reason", got, want, got-want)
	}
}

// countLines counts the lines of the non-test Go files in those of the folders that are in a tree.
func countLines(tree string, folders []string) (int, error) {
	tree, err := filepath.Abs(tree)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, folder := range folders {
		if rel, err := filepath.Rel(tree, folder); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return 0, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return 0, err
			}
			n += bytes.Count(data, []byte("\n"))
		}
	}
	return n, nil
}

// lastSize returns the number in the last line of docs/size.txt, or an error if the file is malformed.
func lastSize(text string) (n int, problem string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := sizeLine.FindStringSubmatch(line)
		if m == nil {
			return 0, strconv.Quote(line) + " is not a number, a tab and a reason"
		}
		n, _ = strconv.Atoi(m[1])
	}
	if n == 0 {
		return 0, "it has no number"
	}
	return n, ""
}

// TestSizeCounts counts a temporary tree. Tests and other folders do not count, another module in the tree does.
func TestSizeCounts(t *testing.T) {
	t.Parallel()
	tree, elsewhere := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": "package a\n\n", "a/a_linux.go": "package a\n", "a/a_test.go": "package a\n\n\n\n", "other/go.mod": "module other\n", "other/b.go": "package b\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "c.go"), []byte("package c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := countLines(tree, []string{filepath.Join(tree, "a"), filepath.Join(tree, "other"), elsewhere})
	if err != nil || n != 4 {
		t.Errorf("counted %d lines, %v; want 4", n, err)
	}
	for text, want := range map[string]int{"# x\n12\tthe beginning of it\n13\tanother reason\n": 13, "12 no tab between\n": 0, "12\tshort\n": 0, "# nothing\n": 0} {
		if n, problem := lastSize(text); n != want || (problem == "") != (want > 0) {
			t.Errorf("lastSize(%q) = %d, %q; want %d", text, n, problem, want)
		}
	}
}
