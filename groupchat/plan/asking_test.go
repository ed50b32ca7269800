package plan

import (
	"strings"
	"testing"
)

// TestLastObject is what an answer means, with words around it, and is nothing for an answer that is nothing but beginnings.
func TestLastObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1}`:                               `{"a":1}`,
		"Here: {\"a\":1}. Or rather {\"a\":2}!": `{"a":2}`,
		`{ is a brace, {"a":{"b":1}} is not`:    `{"a":{"b":1}}`,
		"none":                                  "",
		strings.Repeat("{", 50) + `"a":1}`:      `{"a":1}`,
		strings.Repeat(`{"":`, 1<<18):           "", // each brace would have some 40,000 bytes read
	} {
		if got := string(lastObject(text)); got != want {
			t.Errorf("lastObject(%.40s) = %.40s, want %s", text, got, want)
		}
	}
}
