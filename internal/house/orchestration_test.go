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

// wanted are the rows of the orchestration table that are core or expected.
var wanted = slices.Concat(span(1, 40), span(42, 56), span(58, 64), span(66, 67), []int{69, 70}, span(73, 78), span(80, 90),
	[]int{92, 93}, span(95, 99), span(101, 110), []int{113, 114}, span(116, 124), span(126, 130), []int{132, 133},
	span(135, 141), span(143, 146), []int{149, 152}, span(154, 156))

func span(from, to int) []int {
	var rows []int
	for n := from; n <= to; n++ {
		rows = append(rows, n)
	}
	return rows
}

var (
	orchestrationRow  = regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|$`)
	orchestrationTest = regexp.MustCompile("`([^`]+)`")
	rowNumber         = regexp.MustCompile(`\b\d+\b`)
)

// TestOrchestrationRowsAreTested holds docs/orchestration.md to its table: each wanted row is there or in ADR 7, and
// each test it names exists.
func TestOrchestrationRowsAreTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	told := map[int]bool{}
	for _, row := range orchestrationRow.FindAllStringSubmatch(read(t, root, "docs/orchestration.md"), -1) {
		n, err := strconv.Atoi(row[1])
		if err != nil || told[n] {
			t.Errorf("row %s stands there twice", row[1])
		}
		told[n] = true
		tests := orchestrationTest.FindAllStringSubmatch(row[2], -1)
		if len(tests) == 0 {
			t.Errorf("row %d names no test", n)
		}
		for _, test := range tests {
			if why := missingTest(t, root, test[1]); why != "" {
				t.Errorf("row %d: %s: %s", n, test[1], why)
			}
		}
	}
	_, later, found := strings.Cut(read(t, root, "docs/adr/0007-orchestration-rows.md"), "## Rows without a test of their own yet\n")
	later, _, closed := strings.Cut(later, "\n## ")
	if !found || !closed {
		t.Fatal("ADR 7 does not say which rows are without a test")
	}
	for _, number := range rowNumber.FindAllString(later, -1) {
		if n, err := strconv.Atoi(number); err == nil {
			told[n] = true
		}
	}
	for _, n := range wanted {
		if !told[n] {
			t.Errorf("row %d is neither in docs/orchestration.md nor in ADR 7", n)
		}
	}
}

// missingTest says why a test that is named as directory.Name, directory.Name/file or path does not exist.
func missingTest(t *testing.T, root, test string) string {
	if strings.HasSuffix(test, ".mjs") {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(test))); err != nil {
			return "no such file"
		}
		return ""
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
