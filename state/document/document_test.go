package document

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

// watched returns a document and what it tells of its changes, as JSON patches or snapshots.
func watched(t *testing.T, raw string, o Options) (*Document, *[]string) {
	t.Helper()
	var told []string
	o.OnChange = func(c Change) error {
		data, err := json.Marshal(c.Patch)
		if c.Snapshot != nil {
			data = append([]byte("snapshot "), c.Snapshot...)
		}
		told = append(told, string(data))
		return err
	}
	d, err := New(json.RawMessage(raw), o)
	if err != nil {
		t.Fatal(err)
	}
	return d, &told
}

// padding keeps small documents from being shorter than their patches.
var padding = `"pad":"` + strings.Repeat("x", 200) + `"`

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc, pointer, value string
		want                      string // the patch, "" if nothing happens
		err                       error
	}{
		{"new member", `{}`, "/a", `1`, `[{"op":"add","path":"/a","value":1}]`, nil},
		{"other value", `{"a":1}`, "/a", `2`, `[{"op":"replace","path":"/a","value":2}]`, nil},
		{"same value", `{"a":{"b":[1,null]}}`, "/a", ` {"b": [1, null]}`, ``, nil},
		{"another spelling of a number", `{"a":1}`, "/a", `1.0`, `[{"op":"replace","path":"/a","value":1.0}]`, nil},
		{"big integer", `{"a":9007199254740992}`, "/a", `9007199254740993`, `[{"op":"replace","path":"/a","value":9007199254740993}]`, nil},
		{"null is a value", `{"a":1}`, "/a", `null`, `[{"op":"replace","path":"/a","value":null}]`, nil},
		{"parents are made", `{}`, "/a/b/c", `1`, `[{"op":"add","path":"/a","value":{"b":{"c":1}}}]`, nil},
		{"null parent is made an object", `{"a":null}`, "/a/b", `1`, `[{"op":"replace","path":"/a","value":{"b":1}}]`, nil},
		{"null element is made an object", `{"a":[null]}`, "/a/0/b", `1`, `[{"op":"replace","path":"/a/0","value":{"b":1}}]`, nil},
		{"array made for its end", `{}`, "/a/-", `1`, `[{"op":"add","path":"/a","value":[1]}]`, nil},
		{"append", `{"a":[1]}`, "/a/-", `2`, `[{"op":"add","path":"/a/-","value":2}]`, nil},
		{"append by index", `{"a":[1]}`, "/a/1", `2`, `[{"op":"add","path":"/a/-","value":2}]`, nil},
		{"element", `{"a":[1,2]}`, "/a/0", `3`, `[{"op":"replace","path":"/a/0","value":3}]`, nil},
		{"member of an appended object", `{"a":[]}`, "/a/-/b", `1`, `[{"op":"add","path":"/a/-","value":{"b":1}}]`, nil},
		{"only what differs", `{"a":{"b":1,"c":"a longer text that stays"}}`, "/a", `{"b":2,"c":"a longer text that stays"}`,
			`[{"op":"replace","path":"/a/b","value":2}]`, nil},
		{"whole, when that is shorter", `{"a":{"b":1,"c":2,"d":3}}`, "/a", `{"e":1}`, `[{"op":"replace","path":"/a","value":{"e":1}}]`, nil},
		{"names with escapes", `{}`, "/a~1b~0", `1`, `[{"op":"add","path":"/a~1b~0","value":1}]`, nil},
		{"empty name, sent from above", `{"a":{"":1}}`, "/a/", `2`, `[{"op":"replace","path":"/a","value":{"":2}}]`, nil},
		{"prototype, sent from above", `{"a":{"b":{}}}`, "/a/b/__proto__/x", `2`, `[{"op":"replace","path":"/a/b","value":{"__proto__":{"x":2}}}]`, nil},
		{"the root", `{"a":1}`, "", `{"b":1}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":1}]`, nil},
		{"past the end", `{"a":[1]}`, "/a/2", `2`, ``, ErrNotFound},
		{"leading zero", `{"a":[1]}`, "/a/00", `2`, ``, ErrNotFound},
		{"name in an array", `{"a":[1]}`, "/a/b", `2`, ``, ErrNotFound},
		{"below a scalar", `{"a":1}`, "/a/b", `2`, ``, ErrNotFound},
		{"no slash", `{}`, "a", `2`, ``, ErrPointer},
		{"bad escape", `{}`, "/a~2", `2`, ``, ErrPointer},
		{"not UTF-8", `{}`, "/\xff", `2`, ``, ErrPointer},
		{"not JSON", `{}`, "/a", `{`, ``, ErrValue},
		{"two values", `{}`, "/a", `1 2`, ``, ErrValue},
		{"root that is no object", `{}`, "", `[]`, ``, ErrValue},
		{"too large", `{}`, "/a", `"` + strings.Repeat("x", 1000) + `"`, ``, ErrTooLarge},
		{"too deep", `{}`, strings.Repeat("/a", MaxDepth+1), `1`, ``, ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := `{` + padding + `}`
			if tt.doc != `{}` {
				doc = strings.TrimSuffix(tt.doc, "}") + "," + padding + "}"
			}
			value := tt.value
			if tt.name == "the root" {
				value = strings.TrimSuffix(value, "}") + "," + padding + "}"
			}
			d, told := watched(t, doc, Options{MaxSize: 1000})
			before := d.JSON()
			err := d.Set(tt.pointer, json.RawMessage(value))
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("Set() error = %v, want %v", err, tt.err)
			}
			if err != nil {
				same(t, "after a refusal", d.JSON(), before)
			}
			if got := strings.Join(*told, ""); got != tt.want {
				t.Errorf("Set() told %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSetMarshals(t *testing.T) {
	t.Parallel()
	d, _ := watched(t, ``, Options{})
	type flight struct {
		Airline string `json:"airline"`
		Price   int    `json:"price"`
	}
	for pointer, v := range map[string]any{"/f": []flight{{"KLM <&>", 650}}, "/n": nil, "/r": json.RawMessage(nil)} {
		if err := d.Set(pointer, v); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := string(d.JSON()), `{"f":[{"airline":"KLM <&>","price":650}],"n":null,"r":null}`; got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
	if err := d.Set("/c", make(chan int)); !errors.Is(err, ErrValue) {
		t.Errorf("Set(chan) error = %v", err)
	}
	var got []flight
	if ok, err := d.Get("/f", &got); !ok || err != nil || len(got) != 1 || got[0].Price != 650 {
		t.Errorf("Get(/f) = %v, %t, %v", got, ok, err)
	}
	var any any
	if ok, err := d.Get("/f/0/price", &any); !ok || err != nil || any != json.Number("650") {
		t.Errorf("Get into any = %#v, %t, %v", any, ok, err)
	}
	if ok, err := d.Get("/x", &any); ok || err != nil {
		t.Errorf("Get of nothing = %t, %v", ok, err)
	}
	if _, err := d.Get("x", &any); !errors.Is(err, ErrPointer) {
		t.Errorf("Get of no pointer: %v", err)
	}
	var number int
	if ok, err := d.Get("/f", &number); !ok || !errors.Is(err, ErrValue) {
		t.Errorf("Get of the wrong kind = %t, %v", ok, err)
	}
	if raw, ok := d.Raw("/n"); !ok || string(raw) != "null" {
		t.Errorf("Raw(/n) = %s, %t", raw, ok)
	}
}

func TestNewDocument(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": `{}`, "null": `{}`, " null ": `{}`, `{"b":1,"a":[ ],"b":2}`: `{"a":[],"b":2}`, `{"\u00e9\/":"\u003c"}`: `{"é/":"<"}`,
	} {
		d, err := New(json.RawMessage(raw), Options{})
		if err != nil || string(d.JSON()) != want || d.tree.Size != len(want) {
			t.Errorf("New(%s) = %s, %v, want %s", raw, d.JSON(), err, want)
		}
	}
	deep := strings.Repeat(`{"a":`, MaxDepth+1) + `1` + strings.Repeat("}", MaxDepth+1)
	for raw, want := range map[string]error{`[]`: ErrValue, `1`: ErrValue, `{`: ErrValue, `{}{}`: ErrValue, deep: ErrTooLarge} {
		if _, err := New(json.RawMessage(raw), Options{}); !errors.Is(err, want) {
			t.Errorf("New(%.20s) error = %v, want %v", raw, err, want)
		}
	}
}

func TestChangeIsASnapshotWhenThatIsBetter(t *testing.T) {
	t.Parallel()
	d, told := watched(t, ``, Options{MaxPatchOps: 2})
	for _, set := range [][2]string{
		{"/a", `1`}, // the patch is longer than {"a":1}
		{"/b", `"` + strings.Repeat("x", 60) + `"`},
		{"/c", `[1,2,3]`},
		{"/c", `["1",2,"3"]`},
	} {
		if err := d.Set(set[0], json.RawMessage(set[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Apply(t.Context(), agui.Patch{{Op: "remove", Path: "/a"}, {Op: "remove", Path: "/c"}, {Op: "add", Path: "/a"}}); err != nil {
		t.Fatal(err)
	}
	x := `"b":"` + strings.Repeat("x", 60) + `"`
	want := []string{`snapshot {"a":1}`, `snapshot {"a":1,` + x + `}`,
		`[{"op":"add","path":"/c","value":[1,2,3]}]`,
		`[{"op":"replace","path":"/c","value":["1",2,"3"]}]`,
		`snapshot {"a":null,` + x + `}`}
	if diff := cmp.Diff(want, *told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if _, ok := (Change{Snapshot: json.RawMessage(`{}`)}).Event().(*agui.StateSnapshot); !ok {
		t.Error("a snapshot is no StateSnapshot")
	}
	if e, ok := (Change{Patch: agui.Patch{{Op: "remove", Path: "/a"}}}).Event().(*agui.StateDelta); !ok || len(e.Delta) != 1 {
		t.Error("a patch is no StateDelta")
	}
}

func TestRemoveReplaceClone(t *testing.T) {
	t.Parallel()
	d, told := watched(t, `{"a":[1,2],`+padding+`}`, Options{})
	clone := d.Clone()
	if err := d.Remove("/a/0"); err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]error{"": ErrPointer, "a": ErrPointer, "/b": ErrNotFound, "/a/-": ErrNotFound, "/a/1": ErrNotFound} {
		if err := d.Remove(pointer); !errors.Is(err, want) {
			t.Errorf("Remove(%q) error = %v, want %v", pointer, err, want)
		}
	}
	if err := d.Replace(json.RawMessage(`{"a":[2,3],` + padding + `}`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Replace(json.RawMessage(`[]`)); !errors.Is(err, ErrValue) {
		t.Errorf("Replace([]) error = %v", err)
	}
	if err := clone.Set("/b", 1); err != nil {
		t.Fatal(err)
	}
	want := []string{`[{"op":"remove","path":"/a/0"}]`, `[{"op":"add","path":"/a/-","value":3}]`}
	if diff := cmp.Diff(want, *told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	same(t, "clone", clone.JSON(), json.RawMessage(`{"a":[1,2],"b":1,`+padding+`}`))
	same(t, "document", d.JSON(), json.RawMessage(`{"a":[2,3],`+padding+`}`))
}

func TestOnChangeErrorKeepsTheChange(t *testing.T) {
	t.Parallel()
	gone := errors.New("nobody reads")
	d, err := New(nil, Options{OnChange: func(Change) error { return gone }})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Set("/a", 1); !errors.Is(err, gone) {
		t.Errorf("Set() error = %v, want %v", err, gone)
	}
	same(t, "document", d.JSON(), json.RawMessage(`{"a":1}`))
}

func TestMaxSizeLetsADocumentShrink(t *testing.T) {
	t.Parallel()
	d, err := New(json.RawMessage(`{"a":"0123456789","b":1}`), Options{MaxSize: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Set("/c", 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Set() error = %v, want %v", err, ErrTooLarge)
	}
	if err := d.Remove("/b"); err != nil {
		t.Errorf("Remove() error = %v", err)
	}
}

func TestDocumentIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	state := json.RawMessage(`{}`)
	d, err := New(nil, Options{OnChange: func(c Change) error {
		next, err := apply(state, c.Patch)
		state = next
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				if err := errors.Join(d.Set("/list/-", i), d.Set("/n", i)); err != nil {
					t.Error(err)
				}
				_, _ = d.Raw("/list/0")
				d.Clone()
			}
		})
	}
	wg.Wait()
	same(t, "reader", state, d.JSON())
	var list []int
	if _, err := d.Get("/list", &list); err != nil || len(list) != 400 {
		t.Errorf("%d elements, %v", len(list), err)
	}
}
