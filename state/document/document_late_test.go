package document

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestLateDocument holds a document to being read when somebody looks at it, once, and to refusing writes until it
// can be.
func TestLateDocument(t *testing.T) {
	t.Parallel()
	reads, away := 0, errors.New("away")
	err := away
	d := NewLate(func() (json.RawMessage, error) { reads++; return json.RawMessage(`{"a":1,"b":""}`), err }, Options{})
	if got := d.Rev(); got != 0 || reads != 0 {
		t.Errorf("Rev() = %d after %d reads", got, reads)
	}
	if err := d.Set("/c", 2); !errors.Is(err, away) {
		t.Errorf("Set() = %v, want %v", err, away)
	}
	if _, err := d.Get("/a", new(int)); !errors.Is(err, away) {
		t.Errorf("Get() = %v, want %v", err, away)
	}
	if got := string(d.JSON()); got != `{}` {
		t.Errorf("JSON() = %s", got)
	}
	err, reads = nil, 0
	if err := d.Set("/c", 2); err != nil {
		t.Errorf("Set() = %v", err)
	}
	if got := string(d.JSON()); got != `{"a":1,"b":"","c":2}` || reads != 1 || d.Rev() != 1 {
		t.Errorf("JSON() = %s after %d reads, at revision %d", got, reads, d.Rev())
	}
	for pointer, want := range map[string]bool{"/a": false, "/b": true, "/none": true} {
		if got := d.Blank(pointer); got != want {
			t.Errorf("Blank(%s) = %v", pointer, got)
		}
	}
}
