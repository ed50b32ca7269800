package document

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

var (
	_ Reader = (*Document)(nil)
	_ Reader = (*Scope)(nil)
)

func TestMappedScope(t *testing.T) {
	t.Parallel()
	d, told := watched(t, `{"topic":{"name":"go"},"notes":[1],`+padding+`}`, Options{Reducers: Reducers{"/notes": Append}})
	m := Mapping{
		In:  map[string]string{"subject": "/topic/name", "gone": "/nowhere"},
		Out: map[string]string{"/draft": "/notes", "/missing": "/x"},
	}
	s, err := Mapped(Shared(d), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "inputs", s.JSON(), json.RawMessage(`{"subject":"go"}`))
	if err := s.Set("/draft", []int{2}); err != nil {
		t.Fatal(err)
	}
	if len(*told) != 0 {
		t.Errorf("a scope of its own told the readers %v", *told)
	}
	again, err := Mapped(Shared(d), m, s.Save()) // a pause in between
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Finish(); err != nil {
		t.Fatal(err)
	}
	same(t, "parent", d.JSON(), json.RawMessage(`{"topic":{"name":"go"},"notes":[1,2],`+padding+`}`))
	for _, bad := range []Mapping{{In: map[string]string{"a": "b"}}, {Out: map[string]string{"a": "/b"}}, {Out: map[string]string{"/a": "b"}}} {
		if _, err := Mapped(Shared(d), bad, nil); !errors.Is(err, ErrPointer) {
			t.Errorf("Mapped(%v) error = %v", bad, err)
		}
	}
	forbidden, err := Mapped(Shared(d).Restrict("/x"), m, s.Save())
	if err != nil {
		t.Fatal(err)
	}
	if err := forbidden.Finish(); !errors.Is(err, ErrForbidden) {
		t.Errorf("Finish() error = %v", err)
	}
}

func TestIsolatedAndSharedScopes(t *testing.T) {
	t.Parallel()
	d, told := watched(t, `{`+padding+`}`, Options{})
	shared := Shared(d)
	isolated, err := Isolated(json.RawMessage(`{"a":1}`), Options{OnChange: d.o.OnChange})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(isolated.Set("/b", 2), isolated.Finish(), isolated.Remove("/a")); err != nil {
		t.Fatal(err)
	}
	if len(*told) != 0 || string(isolated.Save()) != `{"b":2}` {
		t.Errorf("isolated: told %v, saved %s", *told, isolated.Save())
	}
	if err := errors.Join(shared.Set("/b", 2), shared.Finish()); err != nil {
		t.Fatal(err)
	}
	if len(*told) != 1 || shared.Save() != nil {
		t.Errorf("shared: told %v, saved %s", *told, shared.Save())
	}
	var b int
	if ok, err := shared.Get("/b", &b); !ok || err != nil || b != 2 {
		t.Errorf("Get(/b) = %d, %t, %v", b, ok, err)
	}
	if _, err := Isolated(json.RawMessage(`[]`), Options{}); !errors.Is(err, ErrValue) {
		t.Errorf("Isolated([]) error = %v", err)
	}
}

func TestRestrict(t *testing.T) {
	t.Parallel()
	d, _ := watched(t, `{"a":{"b":1},"ab":1,"c":1}`, Options{})
	s := Shared(d).Restrict("/a", "/c")
	patch := func(op, from, path string) error {
		return s.Apply(context.Background(), agui.Patch{{Op: op, From: from, Path: path, Value: json.RawMessage(`1`)}})
	}
	for what, err := range map[string]error{
		"set": s.Set("/ab", 2), "set root": s.Set("", map[string]any{}), "remove": s.Remove("/ab"),
		"apply": patch("replace", "", "/ab"), "move from": patch("move", "/ab", "/a/x"),
		"nested": s.Restrict("/a/b", "/ab").Set("/c", 1), "narrowed": s.Restrict("/a/b").Set("/a", 1),
		"nothing": s.Restrict().Set("/a", 1), "wider": s.Restrict("").Set("/ab", 1),
	} {
		if !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: error = %v, want %v", what, err, ErrForbidden)
		}
	}
	if err := errors.Join(s.Set("/a/b", 2), s.Restrict("").Set("/c", 3), s.Restrict("/a/b").Set("/a/b", 4),
		patch("copy", "/ab", "/a/x"), patch("test", "", "/ab"), s.Remove("/c")); err != nil {
		t.Error(err)
	}
	same(t, "document", d.JSON(), json.RawMessage(`{"a":{"b":4,"x":1},"ab":1}`))
}
