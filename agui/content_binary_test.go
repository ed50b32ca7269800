package agui_test

import (
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// A part of clients before 0.0.47 is read as a later kind, and can be written for them again.
func TestBinaryParts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"type":"binary","mimeType":"image/png","data":"aGk=","filename":"a.png"}`: `{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{"filename":"a.png"}}`,
		`{"type":"binary","mimeType":"audio/wav","url":"https://a.example/x"}`:      `{"type":"audio","source":{"type":"url","value":"https://a.example/x","mimeType":"audio/wav"}}`,
		`{"type":"binary","mimeType":"application/pdf","id":"file-1"}`:              `{"type":"document","source":{"type":"file","value":"file-1","mimeType":"application/pdf"}}`,
	} {
		var p agui.Part
		if err := json.Unmarshal([]byte(in), &p); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		raw, err := p.MarshalJSON()
		if err != nil || string(raw) != want || !p.WasBinary() {
			t.Errorf("%s is written as %s, %v, want %s", in, raw, err, want)
		}
		var now agui.Part
		if err := json.Unmarshal([]byte(want), &now); err != nil || !now.Equal(p) || now.Equal(agui.Part{Type: p.Type}) {
			t.Errorf("%s says something else than %s, %v", in, want, err)
		}
		older, err := p.Binary().MarshalJSON()
		if err != nil || !sameJSON(t, older, in) {
			t.Errorf("%s is written for older clients as %s, %v", in, older, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"type":"binary","mimeType":"image/png"}`), new(agui.Part)); err == nil {
		t.Error("a part without anything is read")
	}
}

func sameJSON(t *testing.T, a []byte, b string) bool {
	t.Helper()
	var x, y map[string]string
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	if len(x) != len(y) {
		return false
	}
	for k, v := range x {
		if y[k] != v {
			return false
		}
	}
	return true
}
