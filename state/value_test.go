package state

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

func TestRenderedValuesAreSmallAndExact(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`"\u0000\u001f\b\t\n\f\r\"\\/<>&` + "\u2028\x7fé😀" + `"`, `{"\n":{"":[1.0,-0,1e3,9007199254740993,true,false,null]}}`, `[[],{},""]`,
	} {
		v, err := parseJSON([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(renderJSON(v)); got != raw || sizeJSON(v) != len(raw) {
			t.Errorf("rendered %s (%d bytes counted), want %s (%d)", got, sizeJSON(v), raw, len(raw))
		}
		if spend(v, len(raw)) > 0 || spend(v, len(raw)+1) <= 0 {
			t.Errorf("spend counts %s wrong", raw)
		}
	}
}
