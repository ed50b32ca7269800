package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// shortName is what docs/design.md calls a promise or docs/adr a decision.
var shortName = regexp.MustCompile(`\b[STRIGX][1-9]\b|\binvariant [A-Z]\d\b`)

// TestExportedCommentsSayWhatIsMeant wants comments that pkg.go.dev shows to be readable there: the short names of
// promises are known to readers of docs/design.md only.
func TestExportedCommentsSayWhatIsMeant(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range sources {
		if s.test() {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, s.path), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, comment := range exportedComments(file) {
			seen++
			if name := shortName.FindString(comment.Text()); name != "" {
				t.Errorf("%s:%d names %s, which its readers do not know: say what is promised", s.path, files.Position(comment.Pos()).Line, name)
			}
		}
	}
	if seen < 500 {
		t.Errorf("looked at %d comments, want those of all exported names", seen)
	}
}

// exportedComments returns what go doc shows of a file: the package's comment, and those of exported declarations and
// of their exported fields and methods.
func exportedComments(file *ast.File) (groups []*ast.CommentGroup) {
	add := func(comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c != nil {
				groups = append(groups, c)
			}
		}
	}
	add(file.Doc)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.IsExported() && exportedReceiver(decl) {
				add(decl.Doc)
			}
		case *ast.GenDecl:
			exported := false
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if spec.Names[0].IsExported() {
						exported = true
						add(spec.Doc, spec.Comment)
					}
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						exported = true
						add(spec.Doc, spec.Comment)
						add(members(spec.Type)...)
					}
				}
			}
			if exported {
				add(decl.Doc)
			}
		}
	}
	return groups
}

// exportedReceiver reports whether f is a function, or the method of an exported type.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	return ast.IsExported(receiverOf(f))
}

// members returns the comments of the exported fields of a struct or the methods of an interface.
func members(typ ast.Expr) (groups []*ast.CommentGroup) {
	var fields *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return nil
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 || field.Names[0].IsExported() {
			groups = append(groups, field.Doc, field.Comment)
		}
	}
	return groups
}
