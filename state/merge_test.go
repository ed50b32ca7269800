package state

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestMergeClient(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, ours, base, client, want string
		o                              MergeOptions
	}{
		{"client changed", `{"a":1,"b":1}`, `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":2,"b":1}`, MergeOptions{}},
		{"we changed", `{"a":2}`, `{"a":1}`, `{"a":1}`, `{"a":2}`, MergeOptions{}},
		{"both changed", `{"a":2}`, `{"a":1}`, `{"a":3}`, `{"a":2}`, MergeOptions{}},
		{"both changed alike", `{"a":2}`, `{"a":1}`, `{"a":2}`, `{"a":2}`, MergeOptions{}},
		{"new to all", `{"a":1}`, `{"a":1}`, `{"a":1,"b":{"c":1}}`, `{"a":1,"b":{"c":1}}`, MergeOptions{}},
		{"both added", `{"a":1}`, `{}`, `{"a":2}`, `{"a":1}`, MergeOptions{}},
		{"we removed", `{}`, `{"a":1}`, `{"a":1}`, `{}`, MergeOptions{}},
		{"we removed, client changed", `{}`, `{"a":1}`, `{"a":2}`, `{}`, MergeOptions{}},
		{"client removed", `{"a":1,"b":1}`, `{"a":1,"b":1}`, `{"b":1}`, `{"b":1}`, MergeOptions{}},
		{"client removed, we changed", `{"a":2,"b":1}`, `{"a":1,"b":1}`, `{"b":1}`, `{"a":2,"b":1}`, MergeOptions{}},
		{"client left out everything", `{"a":1,"b":1}`, `{"a":1,"b":1}`, `{}`, `{"a":1,"b":1}`, MergeOptions{}},
		{"client has no state", `{"a":1}`, `{"a":1}`, `null`, `{"a":1}`, MergeOptions{}},
		{"client's state is no object", `{"a":1}`, `{"a":1}`, `[1]`, `{"a":1}`, MergeOptions{}},
		{"without a base only what we lack", `{"a":1,"c":{"d":1}}`, ``, `{"a":2,"b":2,"c":{"d":2,"e":2}}`, `{"a":1,"b":2,"c":{"d":1,"e":2}}`, MergeOptions{}},
		{"deeper", `{"i":{"flight":2,"hotel":1,"x":1}}`, `{"i":{"flight":1,"hotel":1,"x":1}}`, `{"i":{"flight":3,"hotel":3,"new":3}}`,
			`{"i":{"flight":2,"hotel":3,"new":3}}`, MergeOptions{}},
		{"an empty list for a filled one", `{"a":[1],"b":{"c":1}}`, `{"a":[1],"b":{"c":1}}`, `{"a":[],"b":{}}`, `{"a":[1],"b":{"c":1}}`, MergeOptions{}},
		{"an empty text is an edit", `{"a":"x"}`, `{"a":"x"}`, `{"a":""}`, `{"a":""}`, MergeOptions{}},
		{"an empty list for an empty object", `{"a":{}}`, `{"a":{}}`, `{"a":[]}`, `{"a":[]}`, MergeOptions{}},
		{"arrays are values", `{"a":[1,2]}`, `{"a":[1,2]}`, `{"a":[1,3]}`, `{"a":[1,3]}`, MergeOptions{}},
		{"only what the client may write", `{"a":1,"b":1,"c":1}`, `{"a":1,"b":1,"c":1}`, `{"a":2,"b":2,"d":2}`, `{"a":2,"b":1,"c":1}`,
			MergeOptions{Writable: []string{"/a", "/x"}}},
		{"may write nothing", `{"a":1}`, `{"a":1}`, `{"a":2}`, `{"a":1}`, MergeOptions{Writable: []string{}}},
		{"below a writable pointer", `{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`, MergeOptions{Writable: []string{"/a"}}},
		{"first, before the defaults", `{"a":1,"b":1,"l":[1]}`, ``, `{"a":2,"l":[]}`, `{"a":2,"b":1,"l":[1]}`, MergeOptions{First: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &mirror{t: t, state: json.RawMessage(tt.ours)}
			d, err := NewDocument(m.state, DocumentOptions{OnChange: m.follow})
			if err != nil {
				t.Fatal(err)
			}
			if err := MergeClient(d, json.RawMessage(tt.base), json.RawMessage(tt.client), tt.o); err != nil {
				t.Fatal(err)
			}
			same(t, "document", d.JSON(), json.RawMessage(tt.want))
			same(t, "reader", m.state, json.RawMessage(tt.want))
		})
	}
	d, _ := watched(t, ``, DocumentOptions{MaxSize: 10})
	for client, want := range map[string]error{`{`: ErrValue, `{"a":"0123456789"}`: ErrTooLarge} {
		if err := MergeClient(d, nil, json.RawMessage(client), MergeOptions{}); !errors.Is(err, want) {
			t.Errorf("MergeClient(%s) error = %v, want %v", client, err, want)
		}
	}
}
