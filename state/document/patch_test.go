package document

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

func TestApply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc, patch, want string
		err                    error
	}{
		{"nothing", `{"a":1}`, `[]`, `{"a":1}`, nil},
		{"add inserts", `{"a":[1,3]}`, `[{"op":"add","path":"/a/1","value":2}]`, `{"a":[1,2,3]}`, nil},
		{"add replaces a member", `{"a":1}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2}`, nil},
		{"add the same member", `{"a":1}`, `[{"op":"add","path":"/a","value":1}]`, `{"a":1}`, nil},
		{"dash is a name in an object", `{}`, `[{"op":"add","path":"/-","value":1}]`, `{"-":1}`, nil},
		{"the root", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":1}}]`, `{"b":1}`, nil},
		{"move in an array", `{"a":[1,2,3]}`, `[{"op":"move","from":"/a/0","path":"/a/2"}]`, `{"a":[2,3,1]}`, nil},
		{"move to the end", `{"a":[1,2,3]}`, `[{"op":"move","from":"/a/0","path":"/a/-"}]`, `{"a":[2,3,1]}`, nil},
		{"move over what it was in", `{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`, nil},
		{"move before what it was in", `{"a":[{"b":1}]}`, `[{"op":"move","from":"/a/0/b","path":"/a/0"}]`, `{"a":[1,{}]}`, nil},
		{"move to the root", `{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":""}]`, `{"b":1}`, nil},
		{"move to itself", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`, nil},
		{"move over a member of a neighbour that it shifts", `{"a":[1,5,{"x":2}]}`, `[{"op":"move","from":"/a/0","path":"/a/1/x"}]`, `{"a":[5,{"x":1}]}`, nil},
		{"the same taken back", `{"a":[1,5,{"x":2}]}`, `[{"op":"move","from":"/a/0","path":"/a/1/x"},{"op":"remove","path":"/b"}]`, ``, ErrPatch},
		{"what readers cannot reach goes with its holder", `{"a":{"":{"__proto__":1}}}`, `[{"op":"replace","path":"/a//__proto__","value":2},{"op":"remove","path":"/a"}]`, `{}`, nil},
		{"and with its element", `{"a":[{"__proto__":1},{"b":1}]}`, `[{"op":"replace","path":"/a/0/__proto__","value":2},{"op":"remove","path":"/a/0"}]`, `{"a":[{"b":1}]}`, nil},
		{"and behind a new element", `{"a":[{"__proto__":1}]}`, `[{"op":"replace","path":"/a/0/__proto__","value":2},{"op":"add","path":"/a/0","value":0}]`, `{"a":[0,{"__proto__":2}]}`, nil},
		{"copies are independent", `{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}]`, `{"a":[1],"b":[1,2]}`, nil},
		{"copy by the empty name", `{"":1}`, `[{"op":"copy","from":"/","path":"/b"}]`, `{"":1,"b":1}`, nil},
		{"test", `{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]},{"op":"remove","path":"/a"}]`, `{}`, nil},
		{"test of a number by value", `{"a":1,"b":[{"c":1e2}]}`, `[{"op":"test","path":"/a","value":1.0},{"op":"test","path":"/b","value":[{"c":100}]},{"op":"remove","path":"/b"}]`, `{"a":1}`, nil},
		{"test of another number", `{"a":1}`, `[{"op":"test","path":"/a","value":1.01}]`, ``, ErrPatch},
		{"test of nothing", `{}`, `[{"op":"test","path":"/a","value":null}]`, ``, ErrPatch},
		{"as a whole or not at all", `{"a":[1,{"b":2}],"c":3}`, `[{"op":"remove","path":"/a/0"},{"op":"move","from":"/c","path":"/a/0/b"},
			{"op":"copy","from":"/a","path":"/d"},{"op":"replace","path":"/x","value":1}]`, ``, ErrPatch},
		{"replace of nothing", `{}`, `[{"op":"replace","path":"/a","value":1}]`, ``, ErrNotFound},
		{"replace at the end", `{"a":[1]}`, `[{"op":"replace","path":"/a/-","value":1}]`, ``, ErrPatch},
		{"remove of nothing", `{}`, `[{"op":"remove","path":"/a"}]`, ``, ErrPatch},
		{"remove the root", `{}`, `[{"op":"remove","path":""}]`, ``, ErrPatch},
		{"no parent", `{}`, `[{"op":"add","path":"/a/b","value":1}]`, ``, ErrPatch},
		{"negative index", `{"a":[1]}`, `[{"op":"remove","path":"/a/-1"}]`, ``, ErrPatch},
		{"leading zero", `{"a":[1,2]}`, `[{"op":"remove","path":"/a/01"}]`, ``, ErrPatch},
		{"huge index", `{"a":[1,2]}`, `[{"op":"remove","path":"/a/99999999999999999999"}]`, ``, ErrPatch},
		{"past the end", `{"a":[1]}`, `[{"op":"add","path":"/a/2","value":1}]`, ``, ErrPatch},
		{"into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, ``, ErrPatch},
		{"root that is no object", `{}`, `[{"op":"add","path":"","value":[]}]`, ``, ErrPatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p agui.Patch
			if err := json.Unmarshal([]byte(tt.patch), &p); err != nil {
				t.Fatal(err)
			}
			m := &mirror{t: t, state: json.RawMessage(tt.doc)}
			d, err := New(m.state, Options{OnChange: m.follow})
			if err != nil {
				t.Fatal(err)
			}
			err = d.Apply(t.Context(), p)
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) || err != nil && !errors.Is(err, ErrPatch) {
				t.Fatalf("apply() error = %v, want %v", err, tt.err)
			}
			want := tt.want
			if err != nil {
				want = tt.doc
			}
			same(t, "document", d.JSON(), json.RawMessage(want))
			same(t, "reader", m.state, json.RawMessage(want))
		})
	}
}

func TestApplyRefusesWhatIsNoPatch(t *testing.T) {
	t.Parallel()
	for _, op := range []agui.PatchOp{
		{Op: "merge", Path: "/a"},
		{Op: "add", Path: "a"},
		{Op: "copy", From: "/~", Path: "/a"},
		{Op: "add", Path: "/a", Value: json.RawMessage(`{`)},
	} {
		if out, err := apply(nil, agui.Patch{op}); !errors.Is(err, ErrPatch) {
			t.Errorf("Apply(%+v) = %s, %v, want %v", op, out, err, ErrPatch)
		}
	}
	if _, err := apply(json.RawMessage(`[]`), nil); !errors.Is(err, ErrValue) {
		t.Errorf("Apply to an array: %v", err)
	}
}

func TestApplyStopsACopyBomb(t *testing.T) {
	t.Parallel()
	p := agui.Patch{{Op: "add", Path: "/a", Value: json.RawMessage(`["` + strings.Repeat("x", 1000) + `"]`)}}
	for range 30 {
		p = append(p, agui.PatchOp{Op: "copy", From: "/a", Path: "/a/-"})
	}
	d, err := New(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Apply(t.Context(), p); !errors.Is(err, ErrTooLarge) || errors.Is(err, ErrPatch) {
		t.Errorf("apply() error = %v, want %v", err, ErrTooLarge)
	}
	same(t, "document", d.JSON(), json.RawMessage(`{}`))
}

// TestApplyHasABudget takes patches of a few kilobytes, each of which works on all of the document in every operation.
func TestApplyHasABudget(t *testing.T) {
	t.Parallel()
	list := strings.TrimSuffix(strings.Repeat(`{"k":1},`, 1<<15), ",")
	before := json.RawMessage(`{"a":{"":1,"list":[` + list + `]},"b":1}`)
	repeat := func(n int, ops ...agui.PatchOp) (p agui.Patch) {
		for range n {
			p = append(p, ops...)
		}
		return p
	}
	there, back := agui.PatchOp{Op: "move", From: "/a/list", Path: "/a/l"}, agui.PatchOp{Op: "move", From: "/a/l", Path: "/a/list"}
	for name, p := range map[string]agui.Patch{
		"moves":                       repeat(200, there, back),
		"moves out of what it was in": repeat(200, agui.PatchOp{Op: "move", From: "/a/list", Path: "/a"}, agui.PatchOp{Op: "add", Path: "/c", Value: json.RawMessage(`{}`)}, agui.PatchOp{Op: "move", From: "/a", Path: "/c/list"}, agui.PatchOp{Op: "move", From: "/c", Path: "/a"}),
		"what readers cannot reach":   repeat(400, agui.PatchOp{Op: "replace", Path: "/a/", Value: json.RawMessage(`2`)}, agui.PatchOp{Op: "replace", Path: "/a/", Value: json.RawMessage(`3`)}, agui.PatchOp{Op: "replace", Path: "/b", Value: json.RawMessage(`2`)}, agui.PatchOp{Op: "replace", Path: "/b", Value: json.RawMessage(`3`)}),
		"shifts":                      repeat(2000, agui.PatchOp{Op: "remove", Path: "/a/list/0"}),
		"operations":                  repeat(10_001, agui.PatchOp{Op: "test", Path: "/b", Value: json.RawMessage(`1`)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := 0
			d, err := New(before, Options{OnChange: func(Change) error { events++; return nil }})
			if err != nil {
				t.Fatal(err)
			}
			want := d.JSON()
			if err := d.Apply(t.Context(), p); !errors.Is(err, ErrTooLarge) || errors.Is(err, ErrPatch) || events > 0 {
				t.Errorf("Apply() = %v and %d changes, want %v", err, events, ErrTooLarge)
			}
			same(t, "document", d.JSON(), want)
			if err := d.Apply(t.Context(), p[:min(4, len(p))]); err != nil {
				t.Errorf("a few of the operations: %v", err)
			}
		})
	}
}

func TestATestWithoutAValueIsOfNull(t *testing.T) {
	t.Parallel()
	p := agui.Patch{{Op: "test", Path: "/a"}}
	if _, err := apply(json.RawMessage(`{"a":null}`), p); err != nil {
		t.Errorf("of null: %v", err)
	}
	if _, err := apply(json.RawMessage(`{"a":0}`), p); !errors.Is(err, ErrPatch) {
		t.Errorf("of another value: %v", err)
	}
}

func TestApplyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d, err := New(json.RawMessage(`{"a":[`+strings.TrimSuffix(strings.Repeat(`1,`, 1<<14), ",")+`]}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, cause := d.JSON(), errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := d.Apply(ctx, agui.Patch{{Op: "move", From: "/a", Path: "/b"}}); !errors.Is(err, cause) || errors.Is(err, ErrPatch) {
		t.Errorf("Apply() = %v, want %v", err, cause)
	}
	same(t, "document", d.JSON(), before)
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}],"":{"~":1}}`), []byte(`[{"op":"move","from":"/a/1/b","path":"/a/1"},{"op":"copy","from":"","path":"/"}]`))
	f.Add([]byte(`{"a":[null]}`), []byte(`[{"op":"test","path":"/a","value":[null]},{"op":"add","path":"/a/-"},{"op":"remove","path":"/b"}]`))
	f.Add([]byte(`{"a":{"a":{}}}`), []byte(`[{"op":"replace","path":"","value":{}},{"op":"add","path":"/__proto__","value":1}]`))
	f.Fuzz(func(t *testing.T, doc, patch []byte) {
		var p agui.Patch
		if json.Unmarshal(patch, &p) != nil || len(p) > 20 {
			return
		}
		d, err := New(doc, Options{})
		if err != nil {
			return
		}
		before, now := d.JSON(), d.JSON()
		d.o.OnChange = func(c Change) error {
			if now, err = apply(before, c.Patch); err != nil {
				t.Fatalf("%s by %+v: %v", before, c.Patch, err)
			}
			back, err := apply(now, c.Undo)
			if err != nil {
				t.Fatalf("%s back by %+v: %v", now, c.Undo, err)
			}
			same(t, "undo", back, before)
			return nil
		}
		err = d.Apply(t.Context(), p)
		same(t, "reader", now, d.JSON())
		if err != nil {
			same(t, "after "+err.Error(), d.JSON(), before)
		}
		if d.tree.Size != len(d.JSON()) || !json.Valid(d.JSON()) {
			t.Fatalf("Size() = %d of %s", d.tree.Size, d.JSON())
		}
	})
}

// apply returns doc, an object, with p applied strictly by RFC 6902, as a whole or not at all. Array indices
// are plain decimals, and parents must exist.
func apply(doc json.RawMessage, p agui.Patch) (json.RawMessage, error) {
	root, err := jsonpatch.ParseObject(doc)
	if err != nil {
		return nil, err
	}
	edits, err := editsOf(p)
	if err != nil {
		return nil, err
	}
	tree := jsonpatch.NewTree(root)
	c := jsonpatch.Change{Tree: &tree}
	if err := c.Apply(edits, 0); err != nil {
		return nil, err
	}
	return jsonpatch.Render(tree.Root), nil
}
