package jsonpatch

import "testing"

func TestRenderedValuesAreSmallAndExact(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`"\u0000\u001f\b\t\n\f\r\"\\/<>&\u2028` + "\x7fé😀" + `"`, `{"\n":{"":[1.0,-0,1e3,9007199254740993,true,false,null]}}`, `[[],{},""]`,
	} {
		v, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Render(v)); got != raw || Size(v) != len(raw) {
			t.Errorf("rendered %s (%d bytes counted), want %s (%d)", got, Size(v), raw, len(raw))
		}
		if spend(v, len(raw)) > 0 || spend(v, len(raw)+1) <= 0 {
			t.Errorf("spend counts %s wrong", raw)
		}
	}
}
