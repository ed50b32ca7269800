package copilotkit

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http/httptest"
	"testing"
)

// TestEventsAreWholeJSON covers a log without any event for the page, too. After an error before the first event
// nothing is written.
func TestEventsAreWholeJSON(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		events []string
		err    error
		want   string
	}{
		{"none", nil, nil, `{"events":[]}` + "\n"},
		{"one", []string{`{"a":1}`}, nil, `{"events":[{"a":1}]}` + "\n"},
		{"two", []string{`{"a":1}`, `{"b":2}`}, nil, `{"events":[{"a":1},{"b":2}]}` + "\n"},
		{"a failure at once", nil, broken, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var events iter.Seq2[json.RawMessage, error] = func(yield func(json.RawMessage, error) bool) {
				for _, e := range tt.events {
					if !yield(json.RawMessage(e), nil) {
						return
					}
				}
				if tt.err != nil {
					yield(nil, tt.err)
				}
			}
			w := httptest.NewRecorder()
			if err := writeEvents(w, events); !errors.Is(err, tt.err) {
				t.Errorf("writeEvents() error = %v, want %v", err, tt.err)
			}
			if got := w.Body.String(); got != tt.want {
				t.Errorf("body = %q, want %q", got, tt.want)
			}
		})
	}
}
