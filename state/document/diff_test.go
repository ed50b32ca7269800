package document

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 80) + `"`
	longer := `"` + strings.Repeat("x", 200) + `"`
	tests := []struct{ name, old, new, want string }{
		{"equal", `{"a":[1,{"b":null}]}`, `{ "a" : [ 1 , { "b" : null } ] }`, `[]`},
		{"nothing and null", ``, `null`, `[]`},
		{"in the order of names", `{"c":1,"b":1,"x":` + longer + `}`, `{"d":2,"b":2,"a":2,"x":` + longer + `}`,
			`[{"op":"replace","path":"/b","value":2},{"op":"remove","path":"/c"},{"op":"add","path":"/a","value":2},{"op":"add","path":"/d","value":2}]`},
		{"append", `{"a":[` + long + `,2]}`, `{"a":[` + long + `,2,3,4]}`, `[{"op":"add","path":"/a/-","value":3},{"op":"add","path":"/a/-","value":4}]`},
		{"prepend", `{"a":[` + long + `,2]}`, `{"a":[0,` + long + `,2]}`, `[{"op":"add","path":"/a/0","value":0}]`},
		{"drop", `{"a":[1,2,` + long + `,3,4]}`, `{"a":[1,` + long + `,4]}`,
			`[{"op":"replace","path":"/a","value":[1,` + long + `,4]}]`},
		{"drop in one place", `{"a":[1,2,3,` + long + `]}`, `{"a":[1,` + long + `]}`, `[{"op":"remove","path":"/a/2"},{"op":"remove","path":"/a/1"}]`},
		{"absent is not null", `{}`, `{"a":null}`, `[{"op":"add","path":"/a","value":null}]`},
		{"null is not absent", `{"a":null}`, `{}`, `[{"op":"remove","path":"/a"}]`},
		{"kinds", `{"a":{},"b":[],"x":` + longer + `}`, `{"a":[],"b":{},"x":` + longer + `}`, `[{"op":"replace","path":"/a","value":[]},{"op":"replace","path":"/b","value":{}}]`},
		{"whole, when that is shorter", `{"a":1,"b":1}`, `{"c":1}`, `[{"op":"replace","path":"","value":{"c":1}}]`},
		{"empty name at the root", `{"":1}`, `{"":2}`, `[{"op":"replace","path":"","value":{"":2}}]`},
		{"one ancestor for all below", `{"a":{"":1,"b":1,"__proto__":1},"c":1,"x":` + longer + `}`, `{"a":{"":2,"b":2,"__proto__":2},"c":2,"x":` + longer + `}`,
			`[{"op":"replace","path":"/a","value":{"":2,"__proto__":2,"b":2}},{"op":"replace","path":"/c","value":2}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := Diff(json.RawMessage(tt.old), json.RawMessage(tt.new))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(p); err != nil || string(got) != tt.want {
				t.Errorf("Diff() = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	for _, bad := range []string{`[]`, `1`, `{`, `{}x`} {
		if _, err := Diff(json.RawMessage(bad), nil); !errors.Is(err, ErrValue) {
			t.Errorf("Diff(%s, nil) error = %v", bad, err)
		}
		if _, err := Diff(nil, json.RawMessage(bad)); !errors.Is(err, ErrValue) {
			t.Errorf("Diff(nil, %s) error = %v", bad, err)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,3],"":{"b":null}}`), []byte(`{"a":[0,1,3],"":{"b":{}},"~/":1.0}`))
	f.Add([]byte(`{"__proto__":{"a":1}}`), []byte(`{"__proto__":{"a":[9007199254740993]}}`))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		p, err := Diff(old, new)
		if err != nil {
			return
		}
		want, err := apply(new, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := apply(old, p)
		if err != nil {
			t.Fatalf("%s by %+v: %v", old, p, err)
		}
		same(t, "ours", got, want)
		clean, err := apply(old, nil) // evanphx keeps repeated names and invalid UTF-8
		if err != nil {
			t.Fatal(err)
		}
		if got, err = judge(clean, p); err != nil {
			t.Fatalf("%s by %+v: evanphx: %v", clean, p, err)
		}
		same(t, "evanphx", got, want)
	})
}
