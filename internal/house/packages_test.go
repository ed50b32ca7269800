package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// withoutExample are packages for importers that need not show how they are used, with the reason.
var withoutExample = map[string]string{
	"state/statetest":            "each store's tests run the suites",
	"state/redisstore/redistest": "the tests of redisstore use it",
}

// TestPackagesIntroduceThemselves wants a doc.go in every package of more than one file, and in every package that
// importers of the module can use an example with a checked output.
func TestPackagesIntroduceThemselves(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	type contents struct {
		files              int
		doc, command, seen bool // seen: it has an example
	}
	packages := map[string]*contents{}
	for _, s := range sources {
		p := packages[s.dir()]
		if p == nil {
			p = &contents{}
			packages[s.dir()] = p
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, s.path), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if s.test() {
			p.seen = p.seen || checkedExample(file)
			continue
		}
		p.files++
		p.command = p.command || file.Name.Name == "main"
		p.doc = p.doc || path.Base(s.path) == "doc.go"
	}
	for dir, p := range packages {
		switch {
		case p.files == 0: // rules, as tests
		case p.files > 1 && !p.doc:
			t.Errorf("%s has no doc.go", dir)
		case p.command || strings.Contains("/"+dir, "/internal/") || withoutExample[dir] != "" || p.seen:
		default:
			t.Errorf("%s has no example with output", dir)
		}
	}
}

// checkedExample reports whether a file of tests has an example with a checked output.
func checkedExample(file *ast.File) bool {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		for _, c := range file.Comments {
			if c.Pos() > f.Pos() && c.End() < f.End() && strings.Contains(strings.ToLower(c.Text()), "output:") {
				return true
			}
		}
	}
	return false
}
