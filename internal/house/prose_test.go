package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The limits of prose: phrases of testdata/dialect.txt in 1,000 lines, columns of a line with tabs of four, and the
// comments that product code has at least, as a part of its lines in percent.
const (
	maxPhrases  = 5
	maxColumns  = 120
	tabWidth    = 4
	minComments = 10
)

// An area is a directory or a file at the root of the tree.
type area struct {
	lines    int // lines of comments, or of Markdown
	phrases  []string
	code     int // lines of product Go
	comments int // of these
	long     int // lines of product Go that are too long
}

// TestProse wants comments and documents in plain technical English, lines that fit on a screen, and code that is
// explained.
func TestProse(t *testing.T) {
	t.Parallel()
	areas := readProse(t, root, readPhrases(t))
	code, comments := 0, 0
	for _, name := range slices.Sorted(maps.Keys(areas)) {
		a := areas[name]
		code, comments = code+a.code, comments+a.comments
		if len(a.phrases)*1000 > a.lines*maxPhrases {
			t.Errorf("%s has %d phrases of testdata/dialect.txt in %d lines, at most %d per 1,000 are allowed:\n%s",
				name, len(a.phrases), a.lines, maxPhrases, strings.Join(a.phrases, "\n"))
		}
		if a.long > 0 {
			t.Errorf("%s has %d lines of Go with more than %d columns", name, a.long, maxColumns)
		}
	}
	if comments*100 < code*minComments {
		t.Errorf("%d of %d lines of product code are comments, less than %d %%", comments, code, minComments)
	}
	t.Logf("%d comments in %d lines of code", comments, code)
}

// TestProseCounts counts a temporary tree: strings are no comments, and tests have no limit of columns.
func TestProseCounts(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	wide := "// " + strings.Repeat("é", maxColumns)
	for name, text := range map[string]string{
		"a/a.go":      "package a // told\n\n/* whose\nNOBODY */\nconst s = \"// told\"\n" + wide + "\n",
		"a/a_test.go": wide + "\npackage a\n",
		"b.md":        "# Whose\n\nplain\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	areas := readProse(t, tree, readPhrases(t))
	if a := areas["a"]; a == nil || len(a.phrases) != 3 || a.lines != 5 || a.code != 6 || a.comments != 4 || a.long != 1 {
		t.Errorf("counted %+v, want 3 phrases in 5 lines, 4 comments in 6 lines of code and 1 long line", a)
	}
	if b := areas["b.md"]; b == nil || len(b.phrases) != 1 || b.lines != 3 {
		t.Errorf("counted %+v, want 1 phrase in 3 lines", b)
	}
}

// readPhrases returns the expressions of testdata/dialect.txt as one.
func readPhrases(t *testing.T) *regexp.Regexp {
	t.Helper()
	var phrases []string
	for line := range strings.Lines(read(t, "testdata", "dialect.txt")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			phrases = append(phrases, line)
		}
	}
	return regexp.MustCompile("(?i)" + strings.Join(phrases, "|"))
}

// readProse reads the Go files and the Markdown below tree, without the change log and testdata.
func readProse(t *testing.T, tree string, phrases *regexp.Regexp) map[string]*area {
	t.Helper()
	areas := map[string]*area{}
	err := filepath.WalkDir(tree, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if base == "testdata" || base == "node_modules" || name != tree && base[0] == '.' {
				return fs.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(base)
		if ext != ".go" && ext != ".md" || base == "CHANGELOG.md" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(tree, name)
		if err != nil {
			return err
		}
		top := areaOf(filepath.ToSlash(rel))
		if areas[top] == nil {
			areas[top] = &area{}
		}
		if ext == ".go" {
			areas[top].addGo(rel, data, phrases)
		} else {
			areas[top].addText(rel, string(data), phrases)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return areas
}

// areaOf returns the name of the area of a file.
func areaOf(file string) string {
	top, _, _ := strings.Cut(file, "/")
	return top
}

// addGo counts the comments and the lines of a Go file.
func (a *area) addGo(name string, data []byte, phrases *regexp.Regexp) {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(name, -1, len(data)), data, nil, scanner.ScanComments)
	before := a.lines
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.COMMENT {
			a.addText(name, lit, phrases)
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	a.comments += a.lines - before
	a.code += bytes.Count(data, []byte("\n"))
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if utf8.RuneCount(line)+bytes.Count(line, []byte("\t"))*(tabWidth-1) > maxColumns {
			a.long++
		}
	}
}

// addText counts the lines and phrases of a text.
func (a *area) addText(name, text string, phrases *regexp.Regexp) {
	for line := range strings.Lines(text) {
		a.lines++
		for range phrases.FindAllString(line, -1) {
			a.phrases = append(a.phrases, name+": "+strings.TrimSpace(line))
		}
	}
}
