package predict

import (
	"encoding/json"
	"maps"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/state/document"
)

type memo map[string]json.RawMessage

func (m memo) Recall(key string) (json.RawMessage, bool)  { raw, ok := m[key]; return raw, ok }
func (m memo) Remember(key string, value json.RawMessage) { m[key] = value }
func (m memo) Forget(keys ...string) {
	maps.DeleteFunc(m, func(k string, _ json.RawMessage) bool { return k == keys[0] || k == keys[1] })
}

// TestPlaces lets a place follow a value, and ends with the last one, with the old one, or with that of others.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, path, others string
		final                bool
		want                 string
	}{
		"kept":                     {`{"a":"old"}`, "/a", "", true, `{"a":"final"}`},
		"taken back":               {`{"a":"old"}`, "/a", "", false, `{"a":"old"}`},
		"taken back to nothing":    {`{}`, "/a", "", false, `{}`},
		"taken back with a parent": {`{"a":null}`, "/a/b", "", false, `{"a":null}`},
		"changed by others":        {`{"a":"old"}`, "/a", "theirs", false, `{"a":"theirs"}`},
		"final, changed by others": {`{"a":"old"}`, "/a", "theirs", true, `{"a":"theirs"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := document.New(json.RawMessage(test.before), document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			kept, scope := memo{}, document.Shared(doc)
			places := func() *Places { // of a process that enters the turn
				return &Places{Context: t.Context(), State: scope, Memo: kept, Lock: &sync.Mutex{},
					Warn: func(message, path string, err error) { t.Error(message, path, err) }}
			}
			for _, value := range []string{`"f"`, `"fin"`} {
				if err := places().Put("r", test.path, json.RawMessage(value)); err != nil {
					t.Fatal(err)
				}
			}
			if test.others != "" {
				if err := scope.Set(test.path, test.others); err != nil {
					t.Fatal(err)
				}
			}
			p := places()
			p.Settle("r", func(string) (json.RawMessage, bool) { return json.RawMessage(`"final"`), test.final })
			if got := string(scope.JSON()); got != test.want {
				t.Errorf("the state is %s, want %s", got, test.want)
			}
			if p.Forget("r"); len(kept) > 0 {
				t.Errorf("the turn remembers %v", kept)
			}
		})
	}
}
