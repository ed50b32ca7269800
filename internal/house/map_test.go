package house

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a newcomer can take in at once: the files of a package beside its tests, and the lines of a file.
const (
	maxFiles = 25
	minLines = 13
	maxLines = 400
)

var (
	mapRow  = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\| [^|]+ \\| [^|]+ \\| ([^|]*)\\|$")
	larger  = regexp.MustCompile("(?m)^- `([a-z0-9/]+)`: ")
	mapPart = regexp.MustCompile(`(?s)\n## The map\n.*?\n## `)
)

// TestTheMapNamesEveryPackage holds the map of docs/design.md to the rooms: each has a row with what it may import, and
// each package is in a room with a row.
func TestTheMapNamesEveryPackage(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	for _, row := range mapRow.FindAllStringSubmatch(mapPart.FindString(read(t, root, "docs/design.md")), -1) {
		rows[row[1]] = strings.TrimSpace(row[2])
	}
	for _, r := range rooms {
		imports, ok := rows[r.dir]
		delete(rows, r.dir)
		switch {
		case !ok && (strings.HasPrefix(r.dir, "interop/") || strings.Contains(r.dir, "/internal/")): // the row above has them
		case !ok:
			t.Errorf("the map of docs/design.md has no row for %s", r.dir)
		case r.dir == "cmd/gateway" || r.dir == "interop": // they may import all that they wire
		default:
			if want := mapImports(r); !slices.Equal(inOrder(imports), inOrder(want)) {
				t.Errorf("the map says that %s imports %s, internal/house says %s", r.dir, imports, want)
			}
		}
	}
	for dir := range rows {
		t.Errorf("the map has a row for %s, which has none in internal/house", dir)
	}
}

// TestTheMapNamesFilesThatExist holds the walk and the table of places in docs/design.md to the tree.
func TestTheMapNamesFilesThatExist(t *testing.T) {
	t.Parallel()
	design := read(t, root, "docs/design.md")
	walk, _, _ := strings.Cut(design, "\n## The map\n")
	_, table, _ := strings.Cut(mapPart.FindString(design), "\n### Where to change what\n")
	table, _, _ = strings.Cut(table, "\n### ")
	places := regexp.MustCompile("`([a-z/]+/[^`]+)`").FindAllStringSubmatch(walk+table, -1)
	if len(places) < 40 {
		t.Errorf("docs/design.md names %d places, want 40 or more", len(places))
	}
	for _, place := range places {
		if found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(place[1]))); err != nil || len(found) == 0 {
			t.Errorf("docs/design.md sends people to %s, which is not there: %v", place[1], err)
		}
	}
}

// mapImports returns r's imports as the map has them, without shared internal packages.
func mapImports(r room) string {
	var names []string
	for _, dir := range r.may {
		if !strings.Contains(dir, "internal/") {
			names = append(names, dir)
		}
	}
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}

func inOrder(imports string) []string {
	return slices.Sorted(slices.Values(strings.Split(imports, ", ")))
}

// TestSizes wants packages and files that can be read: no package without a reason in the map is large, and no file has
// only a few lines or very many.
func TestSizes(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, item := range larger.FindAllStringSubmatch(mapPart.FindString(read(t, root, "docs/design.md")), -1) {
		reasons = append(reasons, item[1])
	}
	files := map[string]int{}
	for _, s := range sources {
		if s.test() {
			continue
		}
		files[s.dir()]++
		data, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		// A package's comment may be short, and so may code for one system.
		short := path.Base(s.path) != "doc.go" && !strings.HasSuffix(s.path, "_linux.go") && !bytes.HasPrefix(data, []byte("//go:build"))
		switch n := bytes.Count(data, []byte("\n")); {
		case n < minLines && short:
			t.Errorf("%s has %d lines: they belong to another file", s.path, n)
		case n > maxLines:
			t.Errorf("%s has %d lines, at most %d can be read at once", s.path, n, maxLines)
		}
	}
	for dir, n := range files {
		if n > maxFiles && !slices.Contains(reasons, dir) {
			t.Errorf("%s has %d files, more than %d, and docs/design.md gives no reason", dir, n, maxFiles)
		}
	}
	for _, dir := range reasons {
		if files[dir] == 0 {
			t.Errorf("docs/design.md says why %s is large, which is no package", dir)
		}
	}
}
