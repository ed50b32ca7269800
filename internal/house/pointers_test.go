package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goFile       = regexp.MustCompile(`\b[a-z][a-z0-9_]*\.go\b`)
	docLink      = regexp.MustCompile(`(?m)(?:^|[\s(])\[\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\](?:[\s.,;:)"!?]|$|')`)
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// A declared package has what doc links may name: its identifiers, and Type.Member for fields and methods.
type declared struct {
	name  string
	names map[string]bool
	files []*ast.File
}

// TestDocLinksResolve wants each file that a package comment names to be there, and each [Name] of a comment to be
// declared: in the package, or in one of this module that has the name before the dot.
func TestDocLinksResolve(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	packages, byName, goFiles := map[string]*declared{}, map[string]*declared{}, map[string]bool{}
	positions := token.NewFileSet()
	for _, s := range sources {
		goFiles[path.Base(s.path)] = true
		if s.test() {
			continue
		}
		file, err := parser.ParseFile(positions, filepath.Join(root, s.path), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(s.path)
		if packages[dir] == nil {
			packages[dir] = &declared{name: file.Name.Name, names: map[string]bool{}}
			byName[file.Name.Name] = packages[dir]
		}
		packages[dir].add(file)
	}
	links := 0
	for dir, p := range packages {
		for _, file := range p.files {
			at := positions.Position(file.Package).Filename
			if filepath.Base(at) == "doc.go" && file.Doc != nil {
				for _, name := range goFile.FindAllString(file.Doc.Text(), -1) {
					if !goFiles[name] {
						t.Errorf("%s/doc.go names %s, which is not there", dir, name)
					}
				}
			}
			for _, group := range file.Comments {
				for _, found := range docLink.FindAllStringSubmatch(group.Text(), -1) {
					links++
					if !resolves(p, byName, file, found[1]) {
						t.Errorf("%s: [%s] leads nowhere", positions.Position(group.Pos()), found[1])
					}
				}
			}
		}
	}
	if links < 500 {
		t.Errorf("found %d links, want those of all comments", links)
	}
}

// resolves reports whether a link of a file in p leads somewhere. What other modules declare is not known, so only the
// import is looked for.
func resolves(p *declared, byName map[string]*declared, file *ast.File, link string) bool {
	if p.names[link] {
		return true
	}
	first, rest, qualified := strings.Cut(link, ".")
	if other := byName[first]; other != nil && qualified && other.names[rest] {
		return true
	}
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if name := path.Base(imported); qualified && name == first && !strings.HasPrefix(imported, "github.com/agui-gateway/") {
			return true
		}
	}
	switch first {
	case "context", "json", "encoding", "errors", "fmt", "http", "net", "io", "os", "regexp", "slog", "strconv", "strings", "sync", "testing", "time", "atomic", "slices", "flag":
		return qualified && byName[first] == nil
	}
	return predeclared[link]
}

// predeclared are names of the language that comments link to.
var predeclared = map[string]bool{"error": true, "string": true, "email": true} // [email] replaces an address

// add adds what a file declares.
func (p *declared) add(file *ast.File) {
	p.files = append(p.files, file)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				name = receiverOf(decl) + "." + name
			}
			p.names[name] = true
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						p.names[id.Name] = true
					}
				case *ast.TypeSpec:
					p.names[spec.Name.Name] = true
					p.addMembers(spec.Name.Name, spec.Type)
				}
			}
		}
	}
}

func (p *declared) addMembers(of string, typ ast.Expr) {
	var fields *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, id := range field.Names {
			p.names[of+"."+id.Name] = true
		}
	}
}

// receiverOf is the name of the type that a method is of.
func receiverOf(f *ast.FuncDecl) string {
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// TestMarkdownLinksLeadToFiles wants each relative link of a document to lead to a file of the repository, and to a
// heading of it, if it names one.
func TestMarkdownLinksLeadToFiles(t *testing.T) {
	t.Parallel()
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md", "examples/teams/*/*.md", "deploy/*.md", "interop/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	links, anchors := 0, map[string]map[string]bool{}
	for _, document := range documents {
		for _, found := range markdownLink.FindAllStringSubmatch(read(t, document), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			file := document
			if target != "" {
				file = filepath.Join(filepath.Dir(document), filepath.FromSlash(target))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", document, found[1])
				continue
			}
			if anchor == "" || filepath.Ext(file) != ".md" {
				continue
			}
			if anchors[file] == nil {
				anchors[file] = anchorsOf(read(t, file))
			}
			if !anchors[file][anchor] {
				t.Errorf("%s links to %s, and the document has no such heading", document, found[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("found %d links in %d documents, want those of all", links, len(documents))
	}
}
