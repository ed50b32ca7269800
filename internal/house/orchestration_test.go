package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// orchestrationRows is how many rows the table has that the project was specified by.
const orchestrationRows = 157

var (
	orchestrationRow  = regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|$`)
	orchestrationTest = regexp.MustCompile("`([^`]+)`")
)

// TestOrchestrationRowsAreTested holds docs/orchestration.md to the table: each row has tests that exist, or a reason
// why it has none, and not both.
func TestOrchestrationRowsAreTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	tested, reasons, ok := strings.Cut(read(t, root, "docs/orchestration.md"), "\n## What has no test of its own\n")
	if !ok {
		t.Fatal("docs/orchestration.md has no section for the rows without a test")
	}
	told := map[int]bool{}
	for n, tests := range orchestrationTable(t, told, tested) {
		names := orchestrationTest.FindAllStringSubmatch(tests, -1)
		if len(names) == 0 {
			t.Errorf("row %d names no test", n)
		}
		for _, name := range names {
			if why := missingTest(t, root, name[1]); why != "" {
				t.Errorf("row %d: %s: %s", n, name[1], why)
			}
		}
	}
	for n, reason := range orchestrationTable(t, told, reasons) {
		if len(strings.Fields(reason)) < 4 {
			t.Errorf("row %d: %q is no reason", n, reason)
		}
	}
	for n := 1; n <= orchestrationRows; n++ {
		if !told[n] {
			t.Errorf("row %d has neither a test nor a reason", n)
		}
	}
}

// orchestrationTable returns the last column of the rows in text, by their number, and notes in told whose they are.
func orchestrationTable(t *testing.T, told map[int]bool, text string) map[int]string {
	t.Helper()
	table := map[int]string{}
	for _, row := range orchestrationRow.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(row[1])
		if err != nil || n < 1 || n > orchestrationRows || told[n] {
			t.Errorf("row %s stands there twice, or is not of the table", row[1])
			continue
		}
		told[n], table[n] = true, row[2]
	}
	return table
}

// missingTest says why a test that is named as directory.Name, directory.Name/file, "directory: sentence" or path does
// not exist.
func missingTest(t *testing.T, root, test string) string {
	if strings.HasSuffix(test, ".mjs") {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(test))); err != nil {
			return "no such file"
		}
		return ""
	}
	if dir, sentence, ok := strings.Cut(test, ": "); ok {
		return missingSentence(t, root, dir, sentence)
	}
	dir, name, ok := strings.Cut(test, ".")
	if !ok {
		return "names no package"
	}
	name, sub, _ := strings.Cut(name, "/")
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declares := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	if !slices.ContainsFunc(files, func(file string) bool { return declares.MatchString(read(t, file)) }) {
		return "no such test"
	}
	if sub == "" {
		return ""
	}
	data := filepath.Join(root, filepath.FromSlash(dir), "testdata")
	for _, pattern := range []string{path.Join(sub + ".txtar"), path.Join("*", sub+".txtar")} {
		if found, err := filepath.Glob(filepath.Join(data, filepath.FromSlash(pattern))); err == nil && len(found) > 0 {
			return ""
		}
	}
	return "no such file in its testdata"
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
