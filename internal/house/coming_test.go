package house

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// A row of terms has the word of another framework, ours, keys of a team file, and names in Go.
	termRow = regexp.MustCompile(`(?m)^\| .+ \| .+ \| (.+) \| (.+) \|$`)
	codeIn  = regexp.MustCompile("`([^`]+)`")
	goName  = regexp.MustCompile(`^([a-z]+\.)?([A-Z]\w*(?:\.[A-Z]\w*)?)$`)
	teamKey = regexp.MustCompile(`(?:^|[{,] )([a-z_]+):`)
)

// TestTermsOfOtherFrameworks checks the tables of docs/coming-from: the names in Go are declared, in groupchat if they
// name no package, and the keys are those of team files.
func TestTermsOfOtherFrameworks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "coming-from", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared, keys := declarations(t), map[string]bool{"question": true, "name": true} // in examples of inputs
	var schema any
	if err := json.Unmarshal([]byte(read(t, root, "docs/team.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	propertiesOf(schema, keys)
	names := 0
	for _, page := range pages {
		for _, row := range termRow.FindAllStringSubmatch(read(t, page), -1) {
			for _, code := range codeIn.FindAllStringSubmatch(row[1], -1) {
				for _, key := range teamKey.FindAllStringSubmatch(code[1], -1) {
					if !keys[key[1]] && key[1] != "file" { // a store's address
						t.Errorf("%s: no key of a team file is called %q: %s", page, key[1], row[0])
					}
				}
			}
			for _, code := range codeIn.FindAllStringSubmatch(row[2], -1) {
				name := goName.FindStringSubmatch(code[1])
				if name == nil || strings.ToUpper(code[1]) == code[1] { // of the protocol, or of HTTP
					continue
				}
				names++
				if in := strings.TrimSuffix(name[1], "."); !declared[in+"."+name[2]] && (in != "" || !declared["groupchat."+name[2]]) {
					t.Errorf("%s: nothing is called %s: %s", page, code[1], row[0])
				}
			}
		}
	}
	if names < 100 {
		t.Errorf("found %d names in Go, want those of all tables", names)
	}
}

// declarations returns what the packages that others may import declare: package.Name and package.Type.Member.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "internal":
			return fs.SkipDir
		case entry.IsDir():
			return enter(root, name, entry.Name())
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			for _, one := range declaredBy(d) {
				declared[file.Name.Name+"."+one] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared
}

// declaredBy lists the names of a declaration, with the members of a struct or an interface.
func declaredBy(d ast.Decl) []string {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv != nil {
			return []string{receiverOf(f) + "." + f.Name.Name}
		}
		return []string{f.Name.Name}
	}
	var names []string
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range s.Names {
				names = append(names, id.Name)
			}
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
			members := &ast.FieldList{}
			switch kind := s.Type.(type) {
			case *ast.StructType:
				members = kind.Fields
			case *ast.InterfaceType:
				members = kind.Methods
			}
			for _, m := range members.List {
				for _, id := range m.Names {
					names = append(names, s.Name.Name+"."+id.Name)
				}
			}
		}
	}
	return names
}

// propertiesOf adds the names of all properties in a schema to keys.
func propertiesOf(schema any, keys map[string]bool) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			propertiesOf(one, keys)
		}
	case map[string]any:
		for name, one := range s {
			if properties, ok := one.(map[string]any); ok && name == "properties" {
				for key := range properties {
					keys[key] = true
				}
			}
			propertiesOf(one, keys)
		}
	}
}
