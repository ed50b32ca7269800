package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	orchestrationRow  = regexp.MustCompile(`(?m)^\| [^|]+ \| ([^|]+) \|$`)
	orchestrationTest = regexp.MustCompile("`([^`]+)`")
)

// TestOrchestrationsAreTested checks docs/orchestration-tests.md: each behaviour has tests, and they exist.
func TestOrchestrationsAreTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	rows := orchestrationRow.FindAllStringSubmatch(read(t, root, "docs/orchestration-tests.md"), -1)
	if len(rows) < 100 {
		t.Fatalf("docs/orchestration-tests.md has %d rows, want those of all orchestrations", len(rows))
	}
	for _, row := range rows[2:] { // without the head of the table
		names := orchestrationTest.FindAllStringSubmatch(row[1], -1)
		if len(names) == 0 {
			t.Errorf("%s names no test", row[0])
		}
		for _, name := range names {
			if why := missingTest(t, root, name[1]); why != "" {
				t.Errorf("%s: %s", name[1], why)
			}
		}
	}
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
