package document

import (
	"encoding/json"
	"testing"
)

func TestFilled(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		``: false, `null`: false, `""`: false, `[]`: false, `{}`: false, `[null,"",[],{}]`: false, `{"a":{"b":[]}}`: false, `{`: false,
		`0`: true, `false`: true, `"x"`: true, `[0]`: true, `{"a":{"b":["x"]}}`: true, `{"a":null,"b":1}`: true,
	} {
		if got := Filled(json.RawMessage(raw)); got != want {
			t.Errorf("Filled(%s) = %t", raw, got)
		}
	}
}
