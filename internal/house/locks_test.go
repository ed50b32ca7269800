package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoMutexIsHeldAcrossAWait holds the module to the rule of docs/design.md about locks, as far as one function shows
// it.
func TestNoMutexIsHeldAcrossAWait(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string][]*ast.File{}
	files := token.NewFileSet()
	for _, s := range sources {
		if s.test() {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join(root, s.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		packages[s.dir()] = append(packages[s.dir()], file)
	}
	mutexes := 0
	for _, list := range packages {
		known := mutexesOf(list)
		mutexes += len(known)
		for _, problem := range heldWaits(files, list, known) {
			t.Error(problem)
		}
	}
	if mutexes < 20 {
		t.Errorf("found %d names of mutexes, want those of the whole module", mutexes)
	}
}

// TestHeldWaits shows which waits are found.
func TestHeldWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       int
	}{
		{"no wait", `x.mu.Lock(); x.n++; x.mu.Unlock(); <-x.done`, 0},
		{"a sleep", `x.mu.Lock(); time.Sleep(1); x.mu.Unlock()`, 1},
		{"a sleep before a deferred unlock", `x.mu.Lock(); defer x.mu.Unlock(); time.Sleep(1)`, 1},
		{"a read lock", `x.rw.RLock(); defer x.rw.RUnlock(); <-x.done`, 1},
		{"an embedded mutex", `x.Lock(); <-x.done; x.Unlock()`, 1},
		{"a variable", `var mu sync.Mutex; mu.Lock(); <-x.done; mu.Unlock()`, 1},
		{"receiving and sending", `x.mu.Lock(); v := <-x.done; x.done <- v; x.mu.Unlock()`, 2},
		{"a select that waits", `x.mu.Lock(); select { case <-x.done: }; x.mu.Unlock()`, 1},
		{"a select that does not", `x.mu.Lock(); select { case <-x.done: default: }; x.mu.Unlock()`, 0},
		{"a group of goroutines", `x.mu.Lock(); x.all.Wait(); x.mu.Unlock()`, 1},
		{"a condition, which unlocks", `x.mu.Lock(); x.room.Wait(); x.mu.Unlock()`, 0},
		{"a branch that unlocks and ends", `x.mu.Lock(); if x.n > 0 { x.mu.Unlock(); return }; <-x.done; x.mu.Unlock()`, 1},
		{"a branch that unlocks and waits", `x.mu.Lock(); if x.n > 0 { x.mu.Unlock(); <-x.done; return }; x.mu.Unlock()`, 0},
		{"a branch that locks", `if x.n > 0 { x.mu.Lock() }; <-x.done`, 1},
		{"a loop that unlocks to wait", `x.mu.Lock(); for x.n > 0 { x.mu.Unlock(); <-x.done; x.mu.Lock() }; x.mu.Unlock()`, 0},
		{"a case", `x.mu.Lock(); switch { case x.n > 0: <-x.done }; x.mu.Unlock()`, 1},
		{"another goroutine's wait", `x.mu.Lock(); go func() { <-x.done }(); x.mu.Unlock()`, 0},
		{"another goroutine that locks", `go func() { x.mu.Lock(); <-x.done; x.mu.Unlock() }()`, 1},
		{"a condition of a branch", `x.mu.Lock(); if <-x.flags { x.n++ }; x.mu.Unlock()`, 1},
		{"a call that may wait", `x.mu.Lock(); x.store.Load(ctx, 1); x.mu.Unlock()`, 1},
		{"calls that do not wait", `x.mu.Lock(); x.log.WarnContext(ctx, ""); context.Cause(ctx); x.mu.Unlock()`, 0},
		{"a lock for waits", `x.slow.Lock(); <-x.done; x.slow.Unlock()`, 0},
	}
	const declared = `package p; type x struct { mu sync.Mutex; rw sync.RWMutex; sync.Mutex; all sync.WaitGroup; room sync.Cond; slow lock.Lock }; func (x *x) f() { `
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, "x.go", declared+tt.body+" }", parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			list := []*ast.File{file}
			if got := heldWaits(files, list, mutexesOf(list)); len(got) != tt.want {
				t.Errorf("heldWaits() = %q, want %d", got, tt.want)
			}
		})
	}
}

// mutexesOf returns the names of the fields and variables of a package that are mutexes. It has those of conditions
// too, with false.
func mutexesOf(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	note := func(typ ast.Expr, idents []*ast.Ident) {
		of, ok := typ.(*ast.SelectorExpr)
		if !ok {
			return
		}
		kind := of.Sel.Name
		if from, ok := of.X.(*ast.Ident); !ok || from.Name != "sync" || kind != "Mutex" && kind != "RWMutex" && kind != "Cond" {
			return
		}
		if idents == nil { // embedded
			names[""] = true
		}
		for _, ident := range idents {
			names[ident.Name] = kind != "Cond"
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				for _, field := range n.Fields.List {
					note(field.Type, field.Names)
				}
			case *ast.ValueSpec:
				note(n.Type, n.Names)
			}
			return true
		})
	}
	return names
}

// heldWaits returns a sentence for each place where a function waits while it holds one of these mutexes.
func heldWaits(files *token.FileSet, list []*ast.File, mutexes map[string]bool) (problems []string) {
	for _, file := range list {
		ast.Inspect(file, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.FuncDecl:
				body = n.Body
			case *ast.FuncLit:
				body = n.Body
			}
			if body == nil {
				return true
			}
			w := lockWalk{mutexes: mutexes, found: func(at token.Pos, what, held string) {
				problems = append(problems, fmt.Sprintf("%s: %s while %s is locked: see \"Locks\" in docs/design.md", files.Position(at), what, held))
			}}
			w.list(body.List, map[string]bool{})
			return true
		})
	}
	return problems
}

// A lockWalk goes through the statements of one function, and knows which mutexes are held at each.
type lockWalk struct {
	mutexes map[string]bool
	found   func(at token.Pos, what, held string)
}

// list walks through statements, of which held has the mutexes before and then after them. It returns false if the next
// one is not reached.
func (w lockWalk) list(statements []ast.Stmt, held map[string]bool) bool {
	for _, s := range statements {
		if !w.statement(s, held) {
			return false
		}
	}
	return true
}

func (w lockWalk) statement(s ast.Stmt, held map[string]bool) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.list(s.List, held)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, held)
	case *ast.IfStmt:
		w.look(held, s.Init, s.Cond)
		return w.branches(held, s.Else != nil, s.Body, s.Else)
	case *ast.ForStmt:
		w.look(held, s.Init, s.Cond, s.Post)
		w.branches(held, false, s.Body)
	case *ast.RangeStmt:
		w.look(held, s.X)
		w.branches(held, false, s.Body)
	case *ast.SwitchStmt:
		w.look(held, s.Init, s.Tag)
		w.branches(held, hasDefault(s.Body), s.Body.List...)
	case *ast.TypeSwitchStmt:
		w.look(held, s.Init, s.Assign)
		w.branches(held, hasDefault(s.Body), s.Body.List...)
	case *ast.SelectStmt:
		if !hasDefault(s.Body) {
			w.report(s.Pos(), "select waits", held)
		}
		w.branches(held, true, s.Body.List...)
	case *ast.CaseClause:
		return w.list(s.Body, held)
	case *ast.CommClause:
		return w.list(s.Body, held)
	case *ast.DeferStmt: // the locks at the end of the function are not known here
	case *ast.ReturnStmt, *ast.BranchStmt:
		w.look(held, s)
		return false
	default:
		w.look(held, s)
	}
	return true
}

// branches walks through alternatives, of which one is taken if they are all that there are. What any of them holds at
// its end is held then.
func (w lockWalk) branches(held map[string]bool, all bool, list ...ast.Stmt) bool {
	before, after := maps.Clone(held), map[string]bool{}
	goesOn := !all
	if !all {
		maps.Copy(after, before)
	}
	for _, s := range list {
		if in := maps.Clone(before); s != nil && w.statement(s, in) {
			maps.Copy(after, in)
			goesOn = true
		}
	}
	clear(held)
	maps.Copy(held, after)
	return goesOn
}

// hasDefault reports whether a select or switch has a default.
func hasDefault(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		switch c := s.(type) {
		case *ast.CaseClause:
			return c.List == nil
		case *ast.CommClause:
			return c.Comm == nil
		}
		return false
	})
}

// look records, in the order of the source, locks and unlocks in nodes without statements in them, and reports waits.
func (w lockWalk) look(held map[string]bool, nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit: // is walked separately
				return false
			case *ast.SendStmt:
				w.report(n.Pos(), "sending waits", held)
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					w.report(n.Pos(), "receiving waits", held)
				}
			case *ast.CallExpr:
				w.call(n, held)
			}
			return true
		})
	}
}

// call notes that a mutex is locked or unlocked, or reports that a call waits.
func (w lockWalk) call(c *ast.CallExpr, held map[string]bool) {
	method, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	of, name, embedded := types.ExprString(method.X), "", false
	switch x := method.X.(type) {
	case *ast.Ident:
		name, embedded = x.Name, w.mutexes[""]
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	mutex, known := w.mutexes[name]
	switch method.Sel.Name {
	case "Lock", "RLock":
		if mutex || embedded {
			held[of] = true
		}
	case "Unlock", "RUnlock":
		delete(held, of)
	case "Wait":
		if !known { // a condition unlocks its mutex
			w.report(c.Pos(), of+".Wait waits", held)
		}
	case "Sleep":
		if of == "time" {
			w.report(c.Pos(), "time.Sleep waits", held)
		}
	default:
		if takesContext(c) && of != "context" && !strings.HasSuffix(method.Sel.Name, "Context") && withoutWait[method.Sel.Name] == "" {
			w.report(c.Pos(), types.ExprString(c.Fun)+" is given a context, so it may wait,", held)
		}
	}
}

// withoutWait are methods that do not wait, though they are given a context, with the reason. Those of a log end with
// Context.
var withoutWait = map[string]string{"ready": "a store looks whether the context is done"}

// takesContext reports whether the first argument of a call looks like a context.
func takesContext(c *ast.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	first := types.ExprString(c.Args[0])
	return first == "ctx" || strings.HasSuffix(first, ".ctx") || strings.HasPrefix(first, "context.") || strings.HasSuffix(first, ".Context()")
}

func (w lockWalk) report(at token.Pos, what string, held map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(held)) {
		w.found(at, what, name)
	}
}
