package house

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	promise    = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d)\*\* `)
	promiseRow = regexp.MustCompile(`(?m)^\| ([A-Z]\d) \| ([^|]+) \|$`)
)

// TestPromisesAreTested holds docs/design.md to its table: each promise has a row of tests, and the tests exist.
func TestPromisesAreTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	design := read(t, root, "docs/design.md")
	var promises []string
	for _, p := range promise.FindAllStringSubmatch(design, -1) {
		promises = append(promises, p[1])
	}
	if len(promises) == 0 {
		t.Fatal("docs/design.md promises nothing")
	}
	rows := map[string]bool{}
	for _, row := range promiseRow.FindAllStringSubmatch(design, -1) {
		name, tests := row[1], orchestrationTest.FindAllStringSubmatch(row[2], -1)
		if rows[name] || !slices.Contains(promises, name) {
			t.Errorf("the row of %s stands there twice, or promises nothing", name)
		}
		rows[name] = true
		if len(tests) == 0 {
			t.Errorf("%s names no test", name)
		}
		for _, test := range tests {
			if why := missingTest(t, root, test[1]); why != "" {
				t.Errorf("%s: %s: %s", name, test[1], why)
			}
		}
	}
	for _, name := range promises {
		if !rows[name] {
			t.Errorf("%s has no test", name)
		}
	}
}

// missingSentence says why a sentence of the suite of stores does not exist.
func missingSentence(t *testing.T, root, dir, sentence string) string {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(files, func(file string) bool { return strings.Contains(read(t, file), `"`+sentence+`"`) }) {
		return ""
	}
	return "no such sentence"
}
