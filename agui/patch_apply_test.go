package agui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

func TestPatchApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, doc, patch, want string }{
		{"nothing", `{"a":1}`, `[]`, `{"a":1}`},
		{"add inserts", `{"a":[1,3]}`, `[{"op":"add","path":"/a/1","value":2}]`, `{"a":[1,2,3]}`},
		{"add appends", `{"a":[1]}`, `[{"op":"add","path":"/a/-","value":2},{"op":"add","path":"/a/2","value":3}]`, `{"a":[1,2,3]}`},
		{"add replaces a member", `{"a":1}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		{"replace an element", `{"a":[{"b":1}]}`, `[{"op":"replace","path":"/a/0/b","value":2}]`, `{"a":[{"b":2}]}`},
		{"remove", `{"a":[1,2],"b":3}`, `[{"op":"remove","path":"/a/0"},{"op":"remove","path":"/b"}]`, `{"a":[2]}`},
		{"the root", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":1}}]`, `{"b":1}`},
		{"move in an array", `{"a":[1,2,3]}`, `[{"op":"move","from":"/a/0","path":"/a/2"}]`, `{"a":[2,3,1]}`},
		{"move over what it was in", `{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`},
		{"move over a member of a neighbour", `{"a":[1,{"x":2},{"x":3}]}`, `[{"op":"move","from":"/a/0","path":"/a/1/x"}]`, `{"a":[{"x":2},{"x":1}]}`},
		{"move to itself", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		{"copies are independent", `{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}]`, `{"a":[1],"b":[1,2]}`},
		{"escaped and empty names", `{"":1,"a/b":2,"~":3}`, `[{"op":"copy","from":"/","path":"/x"},{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/~0"}]`, `{"":1,"x":1}`},
		{"numbers keep their spelling", `{"a":12345678901234567890,"b":1.0}`, `[{"op":"add","path":"/c","value":1e2}]`, `{"a":12345678901234567890,"b":1.0,"c":1e2}`},
		{"test", `{"a":{"x":1,"y":[null]}}`, `[{"op":"test","path":"/a","value":{"y":[null],"x":1}}]`, `{"a":{"x":1,"y":[null]}}`},

		{"test compares numbers by value", `{"a":[1,{"b":1e2}]}`, `[{"op":"test","path":"/a","value":[1.0,{"b":100}]}]`, `{"a":[1,{"b":1e2}]}`},

		{"a test of another number", `{"a":1}`, `[{"op":"test","path":"/a","value":1.01}]`, ``},
		{"a test that fails", `{"a":1}`, `[{"op":"test","path":"/a","value":2}]`, ``},
		{"a test of nothing", `{}`, `[{"op":"test","path":"/a","value":null}]`, ``},
		{"replace of nothing", `{}`, `[{"op":"replace","path":"/a","value":1}]`, ``},
		{"replace at the end", `{"a":[1]}`, `[{"op":"replace","path":"/a/-","value":1}]`, ``},
		{"remove of nothing", `{}`, `[{"op":"remove","path":"/a"}]`, ``},
		{"remove the root", `{}`, `[{"op":"remove","path":""}]`, ``},
		{"move the root", `{}`, `[{"op":"move","from":"","path":"/a"}]`, ``},
		{"move of nothing", `{}`, `[{"op":"move","from":"/a","path":"/b"}]`, ``},
		{"into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, ``},
		{"into what the move shifts into place", `{"a":[1,5,{"x":2}]}`, `[{"op":"move","from":"/a/0","path":"/a/1/x"}]`, ``},
		{"the same by name, where an index was", `{"a":[1,[],{"x":2}]}`, `[{"op":"move","from":"/a/0","path":"/a/1/x"}]`, ``},
		{"no parent", `{}`, `[{"op":"add","path":"/a/b","value":1}]`, ``},
		{"below a number", `{"a":1}`, `[{"op":"add","path":"/a/b","value":1}]`, ``},
		{"negative index", `{"a":[1]}`, `[{"op":"remove","path":"/a/-1"}]`, ``},
		{"leading zero", `{"a":[1,2]}`, `[{"op":"remove","path":"/a/01"}]`, ``},
		{"huge index", `{"a":[1,2]}`, `[{"op":"remove","path":"/a/99999999999999999999"}]`, ``},
		{"past the end", `{"a":[1]}`, `[{"op":"add","path":"/a/2","value":1}]`, ``},
		{"a root that is no object", `{}`, `[{"op":"add","path":"","value":[]}]`, ``},
		{"a prototype", `{}`, `[{"op":"add","path":"/__proto__","value":1}]`, ``},
		{"a constructor's prototype", `{"constructor":{}}`, `[{"op":"add","path":"/constructor/prototype","value":1}]`, ``},
		{"no document", ``, `[]`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var p Patch
			if err := json.Unmarshal([]byte(test.patch), &p); err != nil {
				t.Fatal(err)
			}
			got, err := p.Apply(t.Context(), json.RawMessage(test.doc))
			if string(got) != test.want || (test.want == "") != errors.Is(err, ErrPatch) || test.want != "" && err != nil {
				t.Errorf("Apply() = %s, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestPatchTestWithoutAValueIsOfNull(t *testing.T) {
	t.Parallel()
	p := Patch{{Op: "test", Path: "/a"}}
	if _, err := p.Apply(t.Context(), json.RawMessage(`{"a":null}`)); err != nil {
		t.Errorf("of null: %v", err)
	}
	if _, err := p.Apply(t.Context(), json.RawMessage(`{"a":0}`)); !errors.Is(err, ErrPatch) {
		t.Errorf("of another value: %v", err)
	}
}

func TestPatchApplyRefusesWhatIsNoPatch(t *testing.T) {
	t.Parallel()
	for _, op := range []PatchOp{
		{Op: "merge", Path: "/a"},
		{Op: "add", Path: "a"},
		{Op: "copy", From: "/~", Path: "/a"},
		{Op: "add", Path: "/a", Value: json.RawMessage(`{`)},
		{Op: "test", Path: "", Value: json.RawMessage(`{`)},
	} {
		if out, err := (Patch{op}).Apply(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, ErrPatch) {
			t.Errorf("Apply(%+v) = %s, %v, want %v", op, out, err, ErrPatch)
		}
	}
}

func TestPatchApplyIsBounded(t *testing.T) {
	t.Parallel()
	bomb := Patch{{Op: "add", Path: "/a", Value: json.RawMessage(`["` + strings.Repeat("x", 1000) + `"]`)}}
	deep := Patch{{Op: "add", Path: "/a", Value: json.RawMessage(`{}`)}}
	for range 200 {
		bomb = append(bomb, PatchOp{Op: "copy", From: "/a", Path: "/a/-"})
		deep = append(deep, PatchOp{Op: "move", From: "/a", Path: "/b"}, PatchOp{Op: "add", Path: "/a", Value: json.RawMessage(`{}`)},
			PatchOp{Op: "move", From: "/b", Path: "/a/b"})
	}
	if _, err := bomb.Apply(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, jsonpatch.ErrTooLarge) {
		t.Errorf("a patch of %d copies: %v, want %v", len(bomb), err, jsonpatch.ErrTooLarge)
	}
	list := `{"a":[` + strings.TrimSuffix(strings.Repeat(`{"k":1},`, 1<<15), ",") + `]}`
	var moves, shifts Patch
	for range 200 {
		moves = append(moves, PatchOp{Op: "move", From: "/a", Path: "/b"}, PatchOp{Op: "move", From: "/b", Path: "/a"})
	}
	for range 2000 {
		shifts = append(shifts, PatchOp{Op: "remove", Path: "/a/0"})
	}
	for name, p := range map[string]Patch{"moves": moves, "shifts": shifts, "operations": make(Patch, jsonpatch.MaxOps+1)} {
		if _, err := p.Apply(t.Context(), json.RawMessage(list)); !errors.Is(err, ErrPatch) || name != "operations" && !errors.Is(err, jsonpatch.ErrSteps) {
			t.Errorf("%s: %v, want %v", name, err, ErrPatch)
		}
	}
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := moves[:2].Apply(ctx, json.RawMessage(list)); !errors.Is(err, cause) {
		t.Errorf("with a context that is done: %v, want its cause", err)
	}
	if _, err := deep.Apply(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, jsonpatch.ErrTooLarge) {
		t.Errorf("a patch that nests: %v, want %v", err, jsonpatch.ErrTooLarge)
	}
}
