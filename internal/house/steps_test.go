package house

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	stepOfWalk = regexp.MustCompile(`(?m)^(?:\d\. )?\*\*([A-Za-z ]+)\*\*[.]? `)
	stepRow    = regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| ((?:`[\\w/]+\\.Benchmark\\w+`(?:, )?)+) \\|")
	benchmark  = regexp.MustCompile("`([\\w/]+)\\.(Benchmark\\w+)`")
)

// TestStepsAreMeasured holds docs/performance.md to the walk of docs/design.md: each step has a row of benchmarks, and
// the benchmarks exist.
func TestStepsAreMeasured(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	_, walk, _ := strings.Cut(read(t, root, "docs/design.md"), "## The walk\n")
	walk, _, _ = strings.Cut(walk, "\n**Stores**")
	steps := []string{"emit", "join", "list"} // have no paragraph
	for _, step := range stepOfWalk.FindAllStringSubmatch(walk, -1) {
		steps = append(steps, strings.ToLower(step[1]))
	}
	rows := map[string]string{}
	for _, row := range stepRow.FindAllStringSubmatch(read(t, root, "docs/performance.md"), -1) {
		rows[row[1]] = row[2]
	}
	if len(steps) < 10 || len(rows) != len(steps) {
		t.Errorf("docs/performance.md has rows for %d steps, and the walk has %d: %q", len(rows), len(steps), steps)
	}
	for _, step := range steps {
		if rows[step] == "" {
			t.Errorf("docs/performance.md does not say what measures %q", step)
		}
		for _, b := range benchmark.FindAllStringSubmatch(rows[step], -1) {
			files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(b[1]), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range files {
				found = found || strings.Contains(read(t, file), "\nfunc "+b[2]+"(b *testing.B) {")
			}
			if !found {
				t.Errorf("%s: %s has no %s", step, b[1], b[2])
			}
		}
	}
}
