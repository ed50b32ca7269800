package document

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestReducers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		reduce   Reducer
		old, new string
		want     string // "" is an error
	}{
		{"replace", Replace, `1`, `2`, `2`},
		{"merge", Merge, `{"flight":{"a":1},"hotel":1}`, `{"flight":{"b":2},"x":null}`, `{"flight":{"b":2},"hotel":1,"x":null}`},
		{"merge into nothing", Merge, ``, `{"a":1}`, `{"a":1}`},
		{"merge of null", Merge, `{"a":1}`, `null`, `{"a":1}`},
		{"merge of nothing and null", Merge, ``, `null`, `{}`},
		{"merge of empty", Merge, `{"a":1}`, `{}`, `{"a":1}`},
		{"merge of an array", Merge, `{}`, `[]`, ``},
		{"merge into an array", Merge, `[]`, `{}`, ``},
		{"append", Append, `[1,2]`, `[2,3]`, `[1,2,2,3]`},
		{"append to nothing", Append, ``, `[1]`, `[1]`},
		{"append null", Append, `[1]`, `null`, `[1]`},
		{"append to null", Append, `null`, `null`, `[]`},
		{"append one", Append, `[1]`, `{"a":1}`, `[1,{"a":1}]`},
		{"append to an object", Append, `{}`, `[1]`, ``},
	}
	for _, tt := range tests {
		got, err := tt.reduce([]byte(tt.old), []byte(tt.new))
		if tt.old == "" {
			got, err = tt.reduce(nil, []byte(tt.new))
		}
		if (err != nil) != (tt.want == "") || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestParseReducer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"append": `[1,2]`, "replace": `[2]`} {
		r, err := ParseReducer(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r([]byte(`[1]`), []byte(`[2]`)); err != nil || string(got) != want {
			t.Errorf("%s = %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := ParseReducer("merge"); err != nil {
		t.Error(err)
	}
	if _, err := ParseReducer("sum"); !errors.Is(err, ErrValue) {
		t.Errorf("ParseReducer(sum) error = %v", err)
	}
}

func TestSetGoesThroughItsReducer(t *testing.T) {
	t.Parallel()
	refuse := errors.New("no")
	d, told := watched(t, `{"itinerary":{"flight":{"airline":"KLM"}},`+padding+`}`, Options{Reducers: Reducers{
		"/itinerary": Merge, "/notes": Append,
		"/never": func(_, _ json.RawMessage) (json.RawMessage, error) { return nil, refuse },
	}})
	transitions := []struct{ pointer, value, want string }{
		{"/itinerary", `{"hotel":{"name":"Zoe"}}`, `[{"op":"add","path":"/itinerary/hotel","value":{"name":"Zoe"}}]`},
		{"/itinerary", `{}`, ``},
		{"/notes", `"one"`, `[{"op":"add","path":"/notes","value":["one"]}]`},
		{"/notes", `["two"]`, `[{"op":"add","path":"/notes/-","value":"two"}]`},
		{"/itinerary/hotel", `{}`, `[{"op":"remove","path":"/itinerary/hotel/name"}]`},
	}
	for _, transition := range transitions {
		*told = nil
		if err := d.Set(transition.pointer, json.RawMessage(transition.value)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(*told, ""); got != transition.want {
			t.Errorf("Set(%s, %s) told %s, want %s", transition.pointer, transition.value, got, transition.want)
		}
	}
	if err := d.Set("/never", 1); !errors.Is(err, refuse) {
		t.Errorf("Set(/never) error = %v", err)
	}
}
