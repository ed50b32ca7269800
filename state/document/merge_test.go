package document

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/internal/jsontest"
)

// merged is server after a client that was sent it sent v back.
func merged(t *testing.T, server json.RawMessage, v any) json.RawMessage {
	t.Helper()
	d, err := New(server, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := MergeClient(d, server, jsonpatch.Render(v), MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	return d.JSON()
}

// TestMergeOfAnEcho holds a client that sends back what it was sent, with its own spelling of the numbers, to changing
// nothing.
func TestMergeOfAnEcho(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	for range 5000 {
		server := jsonpatch.Render(g.Object(4))
		same(t, "state after an echo", merged(t, server, jsontest.Echo(t, server)), server)
	}
}

// TestMergeKeepsNumbersOfAnEditedArray holds an array that a client edits, which is merged as a whole, to keeping the
// server's spelling of the numbers that the client did not touch.
func TestMergeKeepsNumbersOfAnEditedArray(t *testing.T) {
	t.Parallel()
	const server = `{"orders":[{"id":1234567890123456789,"price":12.0},{"id":1234567890123456790,"price":7.50},{"id":1234567890123456791,"price":1e2}]}`
	tests := []struct {
		name, client, want string
	}{
		{"an element's member changed", `[{"id":1234567890123456800,"price":12},{"id":1234567890123456800,"price":8},{"id":1234567890123456800,"price":100}]`,
			`[{"id":1234567890123456789,"price":12.0},{"id":1234567890123456790,"price":8},{"id":1234567890123456791,"price":1e2}]`},
		{"two elements changed", `[{"id":1234567890123456800,"price":13},{"id":1234567890123456800,"price":7.5},{"id":1234567890123456800,"price":101}]`,
			`[{"id":1234567890123456789,"price":13},{"id":1234567890123456790,"price":7.50},{"id":1234567890123456791,"price":101}]`},
		{"one appended", `[{"id":1234567890123456800,"price":12},{"id":1234567890123456800,"price":7.5},{"id":1234567890123456800,"price":100},{"id":4}]`,
			`[{"id":1234567890123456789,"price":12.0},{"id":1234567890123456790,"price":7.50},{"id":1234567890123456791,"price":1e2},{"id":4}]`},
		{"one removed", `[{"id":1234567890123456800,"price":12},{"id":1234567890123456800,"price":100}]`,
			`[{"id":1234567890123456789,"price":12.0},{"id":1234567890123456791,"price":1e2}]`},
		{"one inserted", `[{"id":1234567890123456800,"price":12},{"new":true},{"id":1234567890123456800,"price":7.5},{"id":1234567890123456800,"price":100}]`,
			`[{"id":1234567890123456789,"price":12.0},{"new":true},{"id":1234567890123456790,"price":7.50},{"id":1234567890123456791,"price":1e2}]`},
		{"reversed", `[{"id":1234567890123456800,"price":100},{"id":1234567890123456800,"price":7.5},{"id":1234567890123456800,"price":12}]`,
			`[{"id":1234567890123456791,"price":1e2},{"id":1234567890123456790,"price":7.50},{"id":1234567890123456789,"price":12.0}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := json.RawMessage(`{"orders":` + tt.client + `}`)
			v, err := jsonpatch.Parse(client)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "state", merged(t, json.RawMessage(server), v), json.RawMessage(`{"orders":`+tt.want+`}`))
		})
	}
}

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
			d, err := New(m.state, Options{OnChange: m.follow})
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
	d, _ := watched(t, ``, Options{MaxSize: 10})
	for client, want := range map[string]error{`{`: ErrValue, `{"a":"0123456789"}`: ErrTooLarge} {
		if err := MergeClient(d, nil, json.RawMessage(client), MergeOptions{}); !errors.Is(err, want) {
			t.Errorf("MergeClient(%s) error = %v, want %v", client, err, want)
		}
	}
}
