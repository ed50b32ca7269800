package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// ownClients are the places that may make an HTTP client, or take the one of net/http, which connects to every address.
var ownClients = []string{
	"internal/egress",            // makes those of everybody else
	"interop",                    // drives the binary from outside
	"bench",                      // measures servers from outside, and is the least of them itself
	"cmd/gateway/healthcheck.go", // asks the address that the gateway itself listens on
	"mcp/header.go",              // wraps the transport of a caller's own client, which may be the default one
	"telemetry/propagate.go",     // likewise
	"internal/inprocess",         // answers in this process, without a connection
}

// clientNames are what makes a client in package net/http, and what uses the one that everybody shares.
var clientNames = []string{"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"}

// TestClientsAreMadeInOnePlace because only internal/egress refuses the addresses that must not be reached.
func TestClientsAreMadeInOnePlace(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range sources {
		if s.test() || !slices.Contains(s.imports, "net/http") || slices.ContainsFunc(ownClients, func(place string) bool { return within(s.path, place) }) {
			continue
		}
		seen++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, s.path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range clientsOf(file) {
			t.Errorf("%s makes an HTTP client or uses a shared one: take one of egress.New, which refuses metadata addresses", files.Position(at))
		}
	}
	if seen < 20 {
		t.Errorf("looked at %d files, want those that import net/http", seen)
	}
}

// TestClientsOf shows what counts as a client, and that a type in a signature does not.
func TestClientsOf(t *testing.T) {
	t.Parallel()
	const text = `package p
import "net/http"
type o struct { HTTP *http.Client }
func f(c *http.Client, t http.Transport) (http.Client, error) { var d http.RoundTripper; return *c, d }
var a, b, c = http.Client{}, &http.Transport{}, new(http.Client)
var d http.Client
func g() { http.Get(""); _ = http.DefaultClient; http.NewRequest("", "", nil) }`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(clientsOf(file)); got != 6 {
		t.Errorf("clientsOf() found %d clients, want 6", got)
	}
}

// clientsOf returns where a file makes an HTTP client, or uses a shared one.
func clientsOf(file *ast.File) (found []token.Pos) {
	note := func(e ast.Expr) {
		if sel, ok := e.(*ast.SelectorExpr); ok && slices.Contains(clientNames, sel.Sel.Name) {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "http" {
				found = append(found, e.Pos())
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			note(n.Type)
		case *ast.ValueSpec: // var c http.Client
			note(n.Type)
			for _, v := range n.Values {
				note(v)
			}
		case *ast.CallExpr:
			note(n.Fun)
			for _, a := range n.Args { // new(http.Client), f(http.DefaultClient)
				note(a)
			}
		case *ast.AssignStmt:
			for _, v := range n.Rhs {
				note(v)
			}
		case *ast.KeyValueExpr:
			note(n.Value)
		case *ast.ReturnStmt:
			for _, v := range n.Results {
				note(v)
			}
		}
		return true
	})
	return found
}
