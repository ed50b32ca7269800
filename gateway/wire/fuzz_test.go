package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// FuzzWire: any event that can be decoded can be projected for any reader, and the result is valid.
func FuzzWire(f *testing.F) {
	paths, err := filepath.Glob("../../agui/testdata/golden/events/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(i))
	}
	wires := every()
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		e, err := agui.Decode(data, nil)
		if _, unknown := e.(*agui.Unknown); err != nil || unknown {
			return
		}
		canonical, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		w := wires[int(n)%len(wires)]
		sent, _, err := w.Project(nil, state.Frame{ID: state.FrameID{Fence: 7, Seq: 1}, Type: agui.TypeOf(e), Data: canonical, Ending: &state.Ending{ThreadID: "t", RunID: "r", Resumed: n&64 != 0}})
		if err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		for _, s := range sent {
			if !json.Valid(s.Data) || !utf8.Valid(s.Data) || bytes.ContainsAny(s.Data, "\n\r") {
				t.Errorf("not one line of JSON: %q", s.Data)
			}
			back, err := agui.Decode(s.Data, func(w agui.Warning) { t.Errorf("warning about %s: %v", s.Data, w) })
			if err != nil || agui.TypeOf(back) != s.Type {
				t.Errorf("sent %s: %v", s.Data, err)
			}
		}
	})
}
