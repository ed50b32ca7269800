package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var glossaryRow = regexp.MustCompile(`(?m)^\| ([a-z ]+) \| (.+) \| ?(.*) ?\|$`)

// maxTerms is how many words a newcomer can be asked to learn.
const maxTerms = 60

// TestGlossary keeps docs/glossary.md short, in order and true: each of its terms is used in the code or in the other
// docs.
func TestGlossary(t *testing.T) {
	t.Parallel()
	glossary := read(t, root, "docs/glossary.md")
	var terms, never []string
	for _, row := range glossaryRow.FindAllStringSubmatch(glossary, -1) {
		if row[1] == "term" {
			continue
		}
		terms = append(terms, row[1])
		if words := strings.TrimSpace(row[3]); words != "" {
			never = append(never, strings.Split(words, ", ")...)
		}
	}
	if rows := strings.Count(glossary, "\n| ") - 2; len(terms) == 0 || len(terms) != rows { // but the head and the line below it
		t.Fatalf("%d terms in %d rows", len(terms), rows)
	}
	if len(terms) > maxTerms {
		t.Errorf("%d terms, at most %d can be learned", len(terms), maxTerms)
	}
	if !slices.IsSorted(terms) {
		t.Errorf("the terms are not in alphabetical order: %q", terms)
	}
	if unique := slices.Compact(slices.Clone(terms)); len(unique) != len(terms) {
		t.Error("a term has two rows")
	}
	for _, term := range unusedTerms(t, terms) {
		t.Errorf("%q is used neither in the code nor in the docs", term)
	}
	synonyms := regexp.MustCompile(`(?i)\b(` + strings.Join(never, "|") + `)s?\b`)
	for name, a := range readProse(t, root, synonyms) {
		for _, line := range a.phrases {
			if strings.Contains(line, ".go: ") {
				t.Errorf("%s uses a synonym of a term of docs/glossary.md: %s", name, line)
			}
		}
	}
}

// unusedTerms returns the terms that stand in no Go file and in no page of docs but the glossary.
func unusedTerms(t *testing.T, terms []string) []string {
	t.Helper()
	unused := slices.Clone(terms)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, name, entry.Name())
		}
		if ext := filepath.Ext(name); ext != ".go" && ext != ".md" || entry.Name() == "glossary.md" || entry.Name() == "glossary_test.go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		unused = slices.DeleteFunc(unused, func(term string) bool {
			return regexp.MustCompile(`(?i)\b` + term + `s?\b`).Match(text)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return unused
}
