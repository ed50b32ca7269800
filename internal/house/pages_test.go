package house

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The limits of a page below docs/teams and docs/reference: its lines, and the lines from which on it begins with its
// contents.
const (
	maxPage      = 250
	withContents = 60
)

var (
	heading   = regexp.MustCompile(`^#+ (.+)$`)
	nameOfTag = regexp.MustCompile(`<a id="([^"]+)">`)
	noAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestPagesAreShort holds the chapters of the manual and the reference to the limits of a page, and to lines that fit on
// a screen. Tables and code have lines of any length, and a page with one section needs no contents.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, dir := range []string{"teams", "reference"} {
		found, err := filepath.Glob(filepath.Join(root, "docs", dir, "*.md"))
		if err != nil || len(found) < 10 {
			t.Fatalf("Glob() = %v, %v, want the pages of docs/%s", found, err, dir)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text := read(t, page)
		lines := strings.Split(text, "\n")
		if len(lines) > maxPage {
			t.Errorf("%s has %d lines, more than %d", page, len(lines), maxPage)
		}
		for i, line := range lines {
			if utf8.RuneCountInString(line) > maxColumns && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has more than %d columns", page, i+1, maxColumns)
			}
		}
		before, _, sections := strings.Cut(text, "\n## ")
		if !sections || len(lines) < withContents {
			continue
		}
		for anchor := range anchorsOf(text[len(before):]) {
			if !strings.Contains(before, "](#"+anchor+")") {
				t.Errorf("the contents at the top of %s lack #%s", page, anchor)
			}
		}
	}
}

// anchorsOf returns what links to parts of a document may name: its headings, as GitHub makes anchors of them, and the
// ids of tags.
func anchorsOf(document string) map[string]bool {
	anchors, code := map[string]bool{}, false
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		for _, tag := range nameOfTag.FindAllStringSubmatch(line, -1) {
			anchors[tag[1]] = true
		}
		title := heading.FindStringSubmatch(strings.TrimSpace(line))
		if title == nil || code {
			continue
		}
		text := markdownLink.ReplaceAllString(title[1], "]")
		name := strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
		if anchors[name] {
			for n := 1; ; n++ {
				if again := name + "-" + strconv.Itoa(n); !anchors[again] {
					name = again
					break
				}
			}
		}
		anchors[name] = true
	}
	return anchors
}

// TestAnchorsOf has headings with links, code and punctuation, one that comes twice, and one within code.
func TestAnchorsOf(t *testing.T) {
	t.Parallel()
	document := "# A proxy's `header`\n## [Keys](keys.md)\n## Keys\n```\n# not one\n```\n<a id=\"named\"></a>\n"
	got := anchorsOf(document)
	for _, want := range []string{"a-proxys-header", "keys", "keys-1", "named"} {
		if !got[want] {
			t.Errorf("anchorsOf() = %v, want %s in it", got, want)
		}
	}
	if len(got) != 4 {
		t.Errorf("anchorsOf() = %v, want four", got)
	}
}
