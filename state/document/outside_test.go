package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// What the library does wrong is as it was when it was kept away from it. A library that has learned better may be
// given more.
func TestLibraryHasTheFaultsItIsKeptFrom(t *testing.T) {
	t.Parallel()
	apply := func(doc, patch string) (out string, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		p, err := evanphx.DecodePatch([]byte(patch))
		if err != nil {
			return "", err
		}
		raw, err := p.Apply([]byte(doc))
		return string(raw), err
	}
	if _, err := apply(`{"a":[null]}`, `[{"op":"test","path":"/a","value":[1]}]`); err == nil || !strings.HasPrefix(err.Error(), "panic") {
		t.Errorf("a test of an array with null: %v", err)
	}
	if _, err := apply(`{}`, `[{"op":"test","path":"/a","value":null}]`); err != nil {
		t.Errorf("a test of what is absent against null: %v", err)
	}
	if out, err := apply(`{"a":[0,1]}`, `[{"op":"remove","path":"/a/01"}]`); err != nil || out != `{"a":[0]}` {
		t.Errorf("an index with a leading zero: %s %v", out, err)
	}
	if _, err := apply(`{"a":1}`, `[{"op":"test","path":"/a","value":1.0}]`); err == nil {
		t.Error("1 is 1.0")
	}
	if out, err := apply(`{"":1,"a":{"":2}}`, `[{"op":"remove","path":"/"},{"op":"copy","from":"/a/","path":"/b"}]`); err == nil && out == `{"a":{"":2},"b":2}` {
		t.Error("empty names are found")
	}
	out, err := evanphx.MergePatch([]byte(`{}`), []byte(`{"a":[{"b":null}]}`))
	if err != nil || string(out) == `{"a":[{"b":null}]}` {
		t.Errorf("a merge keeps null in an array: %s %v", out, err)
	}
}

func TestOutsidePatchesApplyAsTheirRFCSays(t *testing.T) {
	t.Parallel()
	alternating := strings.Repeat(`{"op":"add","path":"/x","value":1},{"op":"test","path":"/x","value":1},`, 100)
	for _, c := range []struct{ doc, patch, want string }{
		{`{}`, `[]`, `{}`},
		{`{}`, `[` + alternating + `{"op":"remove","path":"/x"}]`, `{}`},
		{``, `[{"op":"add","path":"/a","value":{"b":[1]}},{"op":"add","path":"/a/b/-","value":2}]`, `{"a":{"b":[1,2]}}`},
		{`{"a":1}`, `[{"op":"test","path":"/a","value":1.0},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`},
		{`{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]},{"op":"remove","path":"/a/0"}]`, `{"a":[]}`},
		{`{"a":{"b":null}}`, `[{"op":"test","path":"","value":{"a":{"b":null}}}]`, `{"a":{"b":null}}`},
		{`{"01":1,"a":2}`, `[{"op":"remove","path":"/a"},{"op":"move","from":"/01","path":"/+1"}]`, `{"+1":1}`},
		{`{"a":{"b":1}}`, `[{"op":"add","path":"/c","value":1},{"op":"replace","path":"","value":{"d":1}},{"op":"add","path":"/e","value":2}]`, `{"d":1,"e":2}`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":""}]`, `{"b":1}`},
		{`{"n":12345678901234567890.10}`, `[{"op":"copy","from":"/n","path":"/m"}]`, `{"m":12345678901234567890.10,"n":12345678901234567890.10}`},
		{`{"a~b":1}`, `[{"op":"remove","path":"/a~0b","extra":true}]`, `{}`},
	} {
		got, err := OutsidePatch{Body: json.RawMessage(c.patch)}.apply(json.RawMessage(c.doc), nil, 0)
		if err != nil || string(got) != c.want {
			t.Errorf("%s by %s = %s, %v, want %s", c.doc, c.patch, got, err, c.want)
		}
	}
}

// The examples of RFC 7396, those of states: objects.
func TestMergePatchesApplyAsTheirRFCSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ doc, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{}`, `{"a":[{"b":null},null]}`, `{"a":[{"b":null},null]}`},
		{`{"a":{"":1}}`, `{"a":{"b":{"":null,"c":1}}}`, `{"a":{"":1,"b":{"c":1}}}`},
	} {
		got, err := OutsidePatch{Merge: true, Body: json.RawMessage(c.patch)}.apply(json.RawMessage(c.doc), nil, 0)
		if err != nil || string(got) != c.want {
			t.Errorf("%s by %s = %s, %v, want %s", c.doc, c.patch, got, err, c.want)
		}
	}
}

func TestRefusedPatchesNameTheOperation(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, MaxDepth+1) + `1` + strings.Repeat(`}`, MaxDepth+1)
	grow := `[{"op":"add","path":"/a","value":"` + strings.Repeat("x", 1<<20) + `"}` + strings.Repeat(`,{"op":"copy","from":"/a","path":"/b"}`, 9) + `]`
	for _, c := range []struct {
		patch   string
		op      int
		pointer string
		err     error
	}{
		{`{`, -1, "", ErrValue},
		{`{}`, -1, "", ErrValue},
		{`[1]`, 0, "", ErrValue},
		{`[{"op":"add","path":"/a","value":1},{"op":"frob","path":"/a"}]`, 1, "/a", ErrValue},
		{`[{"op":"add","path":"/a"}]`, 0, "/a", ErrValue},
		{`[{"OP":"remove","path":"/a"}]`, 0, "/a", ErrValue},
		{`[{"op":"remove","path":7}]`, 0, "", ErrValue},
		{`[{"op":"move","path":"/a"}]`, 0, "/a", ErrValue},
		{`[{"op":"remove","path":"a"}]`, 0, "a", ErrPointer},
		{`[{"op":"remove","path":"/a~2"}]`, 0, "/a~2", ErrPointer},
		{`[{"op":"add","path":"/a//b","value":1}]`, 0, "/a//b", ErrPointer},
		{`[{"op":"copy","from":"/","path":"/c"}]`, 0, "/", ErrPointer},
		{`[{"op":"copy","from":"","path":"/c"}]`, 0, "/c", ErrPointer},
		{`[{"op":"move","from":"/a","path":"/a/b"}]`, 0, "/a/b", ErrPointer},
		{`[{"op":"remove","path":""}]`, 0, "", ErrPointer},
		{`[{"op":"replace","path":"","value":[]}]`, 0, "", ErrValue},
		{`[{"op":"add","path":"/x","value":1},{"op":"test","path":"/list","value":[1,null]},{"op":"remove","path":"/x"}]`, 1, "/list", ErrPatch},
		{`[{"op":"test","path":"/nothing","value":null}]`, 0, "/nothing", ErrPatch},
		{`[{"op":"test","path":"/big","value":12345678901234567891}]`, 0, "/big", ErrPatch},
		{`[{"op":"add","path":"/x","value":1},{"op":"remove","path":"/list/00"}]`, 1, "/list/00", ErrPatch},
		{`[{"op":"add","path":"/list","value":[1,2,[3]]},{"op":"move","from":"/list/0","path":"/list/1/00"}]`, 1, "/list/1/00", ErrPatch},
		{`[{"op":"remove","path":"/list/-1"}]`, 0, "/list/-1", ErrPatch},
		{`[{"op":"move","from":"/list","path":""}]`, 0, "", ErrPatch},
		{`[{"op":"add","path":"/x","value":1},{"op":"remove","path":"/y"},{"op":"remove","path":"/z"}]`, 1, "/y", ErrPatch},
		{`[{"op":"add","path":"/x/y","value":1}]`, 0, "/x/y", ErrPatch},
		{`[{"op":"add","path":"/list/9","value":1}]`, 0, "/list/9", ErrPatch},
		{`[{"op":"add","path":"/a","value":` + deep + `}]`, -1, "", ErrTooLarge},
		{grow, 8, "/b", ErrTooLarge},
	} {
		doc := json.RawMessage(`{"list":[null,2],"big":12345678901234567890}`)
		got, err := OutsidePatch{Body: json.RawMessage(c.patch)}.apply(doc, nil, 0)
		var refused *OutsideError
		if !errors.As(err, &refused) || !errors.Is(err, c.err) || refused.Op != c.op || refused.Pointer != c.pointer || got != nil {
			t.Errorf("%.120s = %s, %v, want operation %d, %q, %v", c.patch, got, err, c.op, c.pointer, c.err)
		}
	}
	if err := (OutsidePatch{Body: json.RawMessage(`[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}]`)}).Check(1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("two operations where one is allowed: %v", err)
	}
	for _, body := range []string{`[]`, `null`, `1`, `{"a":1`} {
		if err := (OutsidePatch{Merge: true, Body: json.RawMessage(body)}).Check(0); !errors.Is(err, ErrValue) {
			t.Errorf("merge patch %s: %v", body, err)
		}
	}
	if _, err := (OutsidePatch{Merge: true, Body: json.RawMessage(`{"a":{"":1}}`)}).apply(json.RawMessage(`{"a":{}}`), nil, 0); !errors.Is(err, ErrPointer) {
		t.Errorf("a merge below an empty name: %v", err)
	}
}

func TestCopiesOfAPatchAreBoundedTogether(t *testing.T) {
	t.Parallel()
	doc := json.RawMessage(`{"a":"` + strings.Repeat("x", 1000) + `"}`)
	test := `{"op":"test","path":"/b","value":"` + strings.Repeat("x", 1000) + `"}`
	body := `[{"op":"copy","from":"/a","path":"/b"},` + test + `,{"op":"copy","from":"/a","path":"/c"}]`
	_, err := OutsidePatch{Body: json.RawMessage(body)}.apply(doc, nil, 1500)
	var refused *OutsideError
	if !errors.As(err, &refused) || !errors.Is(err, ErrTooLarge) || refused.Op != 2 || refused.Pointer != "/c" {
		t.Errorf("a copy beyond the limit = %v, want operation 2, \"/c\", %v", err, ErrTooLarge)
	}
}

// On the way to its result a patch makes no document that is much larger than the state may be: each look at such a
// one costs what it weighs.
func TestCopiesMayTakeAsMuchAsTheState(t *testing.T) {
	t.Parallel()
	doc := json.RawMessage(`{"a":"` + strings.Repeat("x", 600) + `"}`)
	d, err := New(doc, Options{MaxSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	copies := []string{`{"op":"copy","from":"/a","path":"/b"}`, `{"op":"copy","from":"/a","path":"/c"}`}
	removals := []string{`{"op":"remove","path":"/b"}`, `{"op":"remove","path":"/c"}`}
	patch := func(ops ...string) OutsidePatch {
		return OutsidePatch{Body: json.RawMessage("[" + strings.Join(ops, ",") + "]")}
	}
	if err := d.ApplyOutside(patch(copies[0], removals[0]), nil); err != nil {
		t.Errorf("a copy that leaves again = %v", err)
	}
	err = d.ApplyOutside(patch(slices.Concat(copies, removals)...), nil)
	var refused *OutsideError
	if !errors.As(err, &refused) || !errors.Is(err, ErrTooLarge) || refused.Op != 1 || refused.Pointer != "/c" {
		t.Errorf("copies beyond the size of the state = %v, want operation 1, \"/c\", %v", err, ErrTooLarge)
	}
	if string(d.JSON()) != string(doc) {
		t.Error("a refused patch changed the state")
	}
}

func TestOutsidePatchesWriteOnlyWhereTheyMay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		merge   bool
		patch   string
		pointer string // where it is refused
	}{
		{false, `[{"op":"test","path":"/secret","value":1},{"op":"copy","from":"/secret","path":"/open/a"}]`, ""},
		{false, `[{"op":"add","path":"/openly","value":1}]`, "/openly"},
		{false, `[{"op":"move","from":"/secret","path":"/open/a"}]`, "/secret"},
		{false, `[{"op":"replace","path":"","value":{}}]`, ""},
		{true, `{"open":{"a":1}}`, ""},
		{true, `{"open":{"a":1},"secret":null}`, "/secret"},
	} {
		doc := json.RawMessage(`{"open":{},"secret":1}`)
		_, err := OutsidePatch{Merge: c.merge, Body: json.RawMessage(c.patch)}.apply(doc, []string{"/open"}, 0)
		var refused *OutsideError
		errors.As(err, &refused)
		whole := strings.Contains(c.patch, `"path":""`)
		if forbidden := errors.Is(err, ErrForbidden); forbidden != (c.pointer != "" || whole) || forbidden && refused.Pointer != c.pointer || err != nil && !forbidden {
			t.Errorf("%s: %v, want it refused at %q", c.patch, err, c.pointer)
		}
	}
}

// The library and our own code agree on outside patches.
func TestOutsidePatchesAgreeWithOurOwn(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	both, neither := 0, 0
	for range 5000 {
		doc := g.Object(4)
		p := g.patch(doc)
		raw, err := p.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		old := jsonpatch.Render(doc)
		ours, err := apply(old, p)
		theirs, other := OutsidePatch{Body: raw}.apply(old, nil, 0)
		if errors.Is(other, ErrPointer) || errors.Is(other, ErrValue) {
			continue // it says so, whatever the state is
		}
		if (err == nil) != (other == nil) {
			t.Fatalf("%s by %s: ours %s %v, outside %s %v", old, raw, ours, err, theirs, other)
		}
		if err != nil {
			neither++
			continue
		}
		both++
		same(t, fmt.Sprintf("%s by %s", old, raw), ours, theirs)
	}
	if both < 100 || neither < 100 {
		t.Errorf("judged alike: %d applied, %d refused", both, neither)
	}
}

// Whatever is sent: no panic, an error of one kind, or a document that readers reach by one patch.
func FuzzOutsidePatch(f *testing.F) {
	f.Add(`{"a":[null]}`, `[{"op":"test","path":"/a","value":[null,1]}]`, false)
	f.Add(`{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/a/b"},{"op":"replace","path":"","value":{}}]`, false)
	f.Add(`{"a":[0,1]}`, `[{"op":"move","from":"/a/00","path":"/a/-"},{"op":"add","path":"/a/+1","value":null}]`, false)
	f.Add(`{"":{"":0}}`, `[{"op":"copy","from":"//","path":"/"}]`, false)
	f.Add(`{"a":[{"b":null}]}`, `{"a":[{"b":null}],"c":{"d":null}}`, true)
	f.Fuzz(func(t *testing.T, doc, patch string, merge bool) {
		var sent agui.Patch
		d, err := New(json.RawMessage(doc), Options{MaxPatchOps: 3, OnChange: func(c Change) error {
			sent = c.Patch
			return nil
		}})
		if err != nil {
			return
		}
		before := d.JSON()
		p := OutsidePatch{Merge: merge, Body: json.RawMessage(patch)}
		err = d.ApplyOutside(p, nil)
		if err != nil {
			var refused *OutsideError
			if !errors.As(err, &refused) || string(d.JSON()) != string(before) {
				t.Fatalf("%s by %s: %v, and the document is %s", doc, patch, err, d.JSON())
			}
			return
		}
		if err := p.Check(0); err != nil {
			t.Fatalf("%s applies, and is refused: %v", patch, err)
		}
		after, err := apply(before, sent)
		if err != nil || string(after) != string(d.JSON()) || len(sent) > 3 {
			t.Fatalf("%s by %s: readers have %s (%v), the document is %s", doc, patch, after, err, d.JSON())
		}
	})
}
