package exact

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type inner struct {
	Name string `json:"name"`
}

type Embedded struct {
	Kind string `json:"kind"`
}

type outer struct {
	Embedded
	Args     json.RawMessage   `json:"editedArgs"`
	Yes      bool              `json:"approved,omitempty"`
	List     []inner           `json:"list"`
	Fixed    [2]inner          `json:"fixed"`
	ByName   map[string]*inner `json:"byName"`
	Deep     [][]inner         `json:"deep"`
	At       time.Time         `json:"at"`
	Any      any               `json:"any"`
	Bytes    []byte            `json:"bytes"`
	Left     string            `json:"-"`
	ThreadID string
}

func TestNamesAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"editedArgs":{"A":1, "<":2},"approved":true}`:                                  `{"editedArgs":{"A":1, "<":2},"approved":true}`,
		`{"EditedArgs":1,"Approved":true,"editedargs":2}`:                                `{}`,
		`{"approved":true,"APPROVED":false}`:                                             `{"approved":true}`,
		`{"list":[{"Name":"x"},{"name":"y","NAME":"z"}]}`:                                `{"list":[{},{"name":"y"}]}`,
		`{"byName":{"a":{"Name":"x"},"b":{"name":"y"},"c":null}}`:                        `{"byName":{"a":{},"b":{"name":"y"},"c":null}}`,
		`{"deep":[[{"naMe":"x"}],null],"fixed":[{"NAME":"x"},{"name":"y"}]}`:             `{"deep":[[{}],null],"fixed":[{},{"name":"y"}]}`,
		`{"kind":"k","Kind":"l","at":"2026-01-02T03:04:05Z","any":{"X":1},"bytes":"AA"}`: `{"kind":"k","at":"2026-01-02T03:04:05Z","any":{"X":1},"bytes":"AA"}`,
		`{"threadId":"t","hidden":"h","Left":"l"}`:                                       `{"ThreadID":"t"}`,
		`{"ThreadID":"t","threadId":"u","THREADID":"v"}`:                                 `{"ThreadID":"t"}`,
		`{"list":{"name":"x"}}`:                                                          `{"list":{"name":"x"}}`,
		`null`:                                                                           `null`, `[]`: `[]`, `{`: `{`, ``: ``, `"x"`: `"x"`,
	} {
		var got, expected outer
		err, wanted := Unmarshal([]byte(text), &got), json.Unmarshal([]byte(want), &expected)
		if !reflect.DeepEqual(got, expected) || (err == nil) != (wanted == nil) {
			t.Errorf("%s is %+v, %v, want %+v, %v", text, got, err, expected, wanted)
		}
	}
}

func TestCamel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"ID": "id", "ThreadID": "threadId", "URLPath": "urlPath", "Key": "key", "JSONRPC": "jsonrpc", "A": "a", "ContextID": "contextId"} {
		if got := camel(name); got != want {
			t.Errorf("camel(%s) = %s, want %s", name, got, want)
		}
	}
}

// Whatever is decoded, a field has what the member of its name has, or nothing.
func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"editedArgs":1,"EditedArgs":2,"list":[{"name":"x"}]}`)
	f.Add(`{"list":[{"NAME":"x"}],"approved":true,"byName":{"a":{"name":"y"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var got outer
		var members map[string]json.RawMessage
		err := Unmarshal([]byte(text), &got)
		if plain := json.Unmarshal([]byte(text), new(outer)); plain == nil && err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil || json.Unmarshal([]byte(text), &members) != nil {
			return
		}
		if string(got.Args) != string(members["editedArgs"]) && strings.TrimSpace(string(members["editedArgs"])) != "" {
			t.Errorf("%q has %s", text, got.Args)
		}
		if members["editedArgs"] == nil && got.Args != nil || string(members["approved"]) != "true" && got.Yes || members["list"] == nil && got.List != nil {
			t.Errorf("%q is %+v", text, got)
		}
	})
}
