package translate

import (
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// TestState takes snapshots and patches of a remote agent into a part of a state.
func TestState(t *testing.T) {
	t.Parallel()
	const before = `{"ours":1,"theirs":{"a":1}}`
	for name, test := range map[string]struct {
		path    string
		none    bool
		sent    string
		receive func(s *State) (bool, error)
		applies bool
		want    string
	}{
		"snapshot": {"/theirs", false, `{"a":1}`, func(s *State) (bool, error) {
			return true, s.Snapshot(t.Context(), json.RawMessage(`{"b":2}`))
		}, true, `{"ours":1,"theirs":{"b":2}}`},
		"patch": {"/theirs", false, `{"a":1}`, func(s *State) (bool, error) {
			return s.Delta(t.Context(), agui.Patch{{Op: "add", Path: "/b", Value: json.RawMessage("2")}})
		}, true, `{"ours":1,"theirs":{"a":1,"b":2}}`},
		"patch that does not apply": {"/theirs", false, `{"a":1}`, func(s *State) (bool, error) {
			return s.Delta(t.Context(), agui.Patch{{Op: "remove", Path: "/nowhere"}})
		}, false, before},
		"new place": {"/new", false, `{}`, func(s *State) (bool, error) {
			return true, s.Snapshot(t.Context(), json.RawMessage(`3`))
		}, true, `{"ours":1,"theirs":{"a":1},"new":3}`},
		"no part of ours": {"", true, `{}`, func(s *State) (bool, error) {
			return true, s.Snapshot(t.Context(), json.RawMessage(`3`))
		}, true, before},
	} {
		scope, err := document.Isolated(json.RawMessage(before), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewState(scope, test.path, test.none)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.Sent()); got != test.sent {
			t.Errorf("%s: sent %s, want %s", name, got, test.sent)
		}
		applies, err := test.receive(s)
		if err != nil || applies != test.applies {
			t.Errorf("%s: applies %t, %v", name, applies, err)
		}
		var got, want any
		if json.Unmarshal(scope.JSON(), &got) != nil || json.Unmarshal([]byte(test.want), &want) != nil {
			t.Fatal("no JSON")
		}
		if a, b := mustJSON(got), mustJSON(want); a != b {
			t.Errorf("%s: the state is %s, want %s", name, a, b)
		}
	}
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
