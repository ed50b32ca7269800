package house

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A source is one Go file as far as the rules are concerned.
type source struct {
	path    string // slash-separated, from the repository's root
	imports []string
}

func (s source) dir() string { return path.Dir(s.path) }

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// root is the repository's root as seen from this package, where go test runs.
const root = "../.."

func TestImports(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(sources, func(s source) bool { return s.path == "internal/house/imports_test.go" }) {
		t.Fatalf("readTree(%q) read %d files and not this one", root, len(sources))
	}
	for _, problem := range check(sources) {
		t.Error(problem)
	}
}

// TestRules keeps the tables honest: a row that names a room which does not exist would permit nothing and hide a typo.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range rooms {
		for _, dir := range slices.Concat(r.may, r.testsMay) {
			if !slices.ContainsFunc(rooms, func(o room) bool { return o.dir == dir }) {
				t.Errorf("room %s may import %s, which is no room", r.dir, dir)
			}
		}
		if r.why == "" {
			t.Errorf("room %s has no reason", r.dir)
		}
	}
	for _, d := range doors {
		if d.why == "" || len(d.in) == 0 {
			t.Errorf("door of %s lacks a place or a reason", d.lib)
		}
	}
}

// TestCheck shows that each rule can fail, and that what it allows passes.
func TestCheck(t *testing.T) {
	t.Parallel()
	const echo, sse, uuid = "github.com/labstack/echo/v4", "github.com/tmaxmax/go-sse", "github.com/google/uuid"
	tests := []struct {
		name    string
		sources []source
		want    []string // a part of each problem, in order
	}{
		{"the picture itself", []source{
			{"cmd/gateway/main.go", []string{module + "/web", module + "/gateway", module + "/state/redisstore"}},
			{"gateway/http.go", []string{"net/http", module + "/groupchat", module + "/state"}},
			{"agui/internal/scan/scan.go", []string{"strings"}},
			{"agui/decode.go", []string{module + "/agui/internal/scan"}},
		}, nil},
		{"protocol reaches up", []source{{"agui/run.go", []string{module + "/state"}}}, []string{"agui/run.go imports state"}},
		{"also from a test", []source{{"agui/run_test.go", []string{module + "/gateway"}}}, []string{"agui/run_test.go imports gateway"}},
		{"the service picks a store", []source{{"gateway/new.go", []string{module + "/state/redisstore"}}}, []string{"gateway/new.go imports state/redisstore"}},
		{"only tests may see the suite", []source{
			{"state/memstore/memstore_test.go", []string{module + "/state/statetest"}},
			{"state/memstore/store.go", []string{module + "/state/statetest"}},
		}, []string{"state/memstore/store.go imports state/statetest"}},
		{"a longer name is another room", []source{{"aguix/x.go", []string{"fmt"}}}, []string{"aguix/x.go stands in no room"}},
		{"unknown library", []source{{"gateway/x_test.go", []string{"example.com/fresh/v2"}}}, []string{"example.com/fresh/v2, which has no door"}},
		{"a longer path is another library", []source{{"gateway/x.go", []string{echo + "x"}}}, []string{"has no door"}},
		{"wrong place", []source{{"agui/stream.go", []string{sse}}}, []string{"agui/stream.go imports " + sse}},
		{"middleware is the same library", []source{{"travel/x.go", []string{echo + "/middleware"}}}, []string{"travel/x.go imports " + echo}},
		{"second file", []source{
			{"gateway/echo.go", []string{echo, echo + "/middleware"}},
			{"gateway/routes.go", []string{echo}},
		}, []string{"gateway/echo.go, gateway/routes.go import " + echo}},
		{"one file per package", []source{
			{"agui/id.go", []string{uuid}},
			{"state/id.go", []string{uuid}},
			{"state/token.go", []string{uuid}},
		}, []string{"state/id.go, state/token.go import " + uuid}},
		{"tests use any door, not any library", []source{{"travel/x_test.go", []string{echo, sse, "pgregory.net/rapid"}}}, nil},
		{"test library in the product", []source{{"state/diff.go", []string{"github.com/google/go-cmp/cmp"}}}, []string{"state/diff.go imports github.com/google/go-cmp"}},
		{"but in the suite", []source{{"state/statetest/suite.go", []string{"github.com/google/go-cmp/cmp", "testing"}}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := check(tt.sources)
			if len(got) != len(tt.want) {
				t.Fatalf("check() = %q, want %d problems", got, len(tt.want))
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("check()[%d] = %q, want it to contain %q", i, got[i], want)
				}
			}
		})
	}
}

// readTree reads the imports of every Go file of our module below root, whatever its build tags.
func readTree(root string) ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, name, entry.Name())
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(rel)}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", rel, err)
			}
			s.imports = append(s.imports, imported)
		}
		sources = append(sources, s)
		return nil
	})
	return sources, err
}

// enter says whether a directory belongs to our module; what the go command leaves out, we do too.
func enter(root, dir, base string) error {
	if dir == root {
		return nil
	}
	if base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// check returns one sentence per broken rule.
func check(sources []source) []string {
	var problems []string
	users := map[string][]string{} // non-test files by library, and by directory where the door counts so
	for _, s := range sources {
		from, ok := roomOf(s.dir())
		if !ok {
			problems = append(problems, fmt.Sprintf("%s stands in no room: give its directory a row that says what it may import", s.path))
			continue
		}
		for _, imported := range s.imports {
			problem, key := judge(s, from, imported)
			if problem != "" {
				problems = append(problems, problem)
			}
			if key != "" && !slices.Contains(users[key], s.path) {
				users[key] = append(users[key], s.path)
			}
		}
	}
	for _, d := range doors {
		for _, key := range keysOf(d) {
			if d.files > 0 && len(users[key]) > d.files {
				problems = append(problems, fmt.Sprintf("%s import %s, %d file may: %s", strings.Join(users[key], ", "), d.lib, d.files, d.why))
			}
		}
	}
	return problems
}

// judge checks one import. It returns the problem, and for a library the key its users are counted under.
func judge(s source, from room, imported string) (problem, key string) {
	if dir, ours := strings.CutPrefix(imported, module+"/"); ours {
		to, ok := roomOf(dir)
		allowed := ok && (to.dir == from.dir || slices.Contains(from.may, to.dir) || s.test() && slices.Contains(from.testsMay, to.dir))
		if !allowed {
			return fmt.Sprintf("%s imports %s, which %s may not: %s", s.path, dir, from.dir, from.why), ""
		}
		return "", ""
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "", "" // the standard library
	}
	i := slices.IndexFunc(doors, func(d door) bool { return within(imported, d.lib) })
	if i < 0 {
		return fmt.Sprintf("%s imports %s, which has no door: add a row that says where and why", s.path, imported), ""
	}
	d := doors[i]
	if s.test() {
		return "", ""
	}
	if !slices.ContainsFunc(d.in, func(place string) bool { return within(s.path, place) }) {
		return fmt.Sprintf("%s imports %s, which belongs in %s: %s", s.path, d.lib, strings.Join(d.in, ", "), d.why), ""
	}
	if d.perDir {
		return "", d.lib + " in " + s.dir()
	}
	return "", d.lib
}

// keysOf lists the keys under which judge counts the users of d.
func keysOf(d door) []string {
	if !d.perDir {
		return []string{d.lib}
	}
	var keys []string
	for _, dir := range d.in {
		keys = append(keys, d.lib+" in "+dir)
	}
	return keys
}

// roomOf returns the room a directory belongs to, which is the nearest one above it.
func roomOf(dir string) (room, bool) {
	var nearest room
	for _, r := range rooms {
		if within(dir, r.dir) && len(r.dir) > len(nearest.dir) {
			nearest = r
		}
	}
	return nearest, nearest.dir != ""
}

// within says whether a path is the given one or lies below it.
func within(p, top string) bool { return p == top || strings.HasPrefix(p, top+"/") }
