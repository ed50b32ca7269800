package partial

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestWhatIsKnownOfAValue after each byte is JSON, and grows to the whole.
func TestWhatIsKnownOfAValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		member, text string
		known        []string // each different thing that is known, in order
	}{
		{"a", `{"a":"xy"}`, []string{`""`, `"x"`, `"xy"`}},
		{"a", `{ "b" : [1] , "a" : 12 }`, []string{`12`}},
		{"a", `{"\u0061":true,"b":"\u0061"}`, []string{`true`}},
		{"a", `{"b":{"a":"no"},"a":["x",{"y":1}]}`, []string{`[]`, `[""]`, `["x"]`, `["x",{}]`, `["x",{"y":1}]`}},
		{"a", `{"a":{"k":null,"l":"m"}}`, []string{`{}`, `{"k":null}`, `{"k":null,"l":""}`, `{"k":null,"l":"m"}`}},
		{"a", `{"a":"\n\u00e9\ud83d\ude00ü"}`, []string{`""`, `"\n"`, `"\n\u00e9"`, `"\n\u00e9\ud83d\ude00"`, `"\n\u00e9\ud83d\ude00ü"`}},
		{"a", `{"a":"\ud83dx"}`, []string{`""`, `"\ud83dx"`}},
		{"a", `{"a":1,"a":"2"}`, []string{`1`, `""`, `"2"`}},
		{"", `{"a":1, "b":"c"}`, []string{`{}`, `{"a":1}`, `{"a":1, "b":""}`, `{"a":1, "b":"c"}`}},
		{"a", `{"b":1}`, nil},
		{"a", `{}`, nil},
		{"", `{}`, []string{`{}`}},
		{"é", `{"é":1}`, []string{`1`}},
	}
	for _, tt := range tests {
		v := New(tt.member)
		var known []string
		for i := range len(tt.text) {
			if err := v.Write(tt.text[i : i+1]); err != nil {
				t.Fatalf("%s: byte %d: %v", tt.text, i, err)
			}
			if raw, ok := v.JSON(); ok && (len(known) == 0 || known[len(known)-1] != string(raw)) {
				known = append(known, string(raw))
			}
		}
		if !reflect.DeepEqual(known, tt.known) {
			t.Errorf("%s: known %q, want %q", tt.text, known, tt.known)
		}
		if v.Ended() != (tt.known != nil) {
			t.Errorf("%s: Ended() = %v", tt.text, v.Ended())
		}
	}
}

// TestWhatIsNoJSON is not read further, and the part before stays known.
func TestWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`[`: ErrSyntax, `{a`: ErrSyntax, `{"a":}`: ErrSyntax, `{"a":"x",}`: ErrSyntax, `{"a":"x"]`: ErrSyntax, `{"a":["x"}`: ErrSyntax, `{"a":"x" "b"`: ErrSyntax,
		`{"a":tru}`: ErrSyntax, `{"a":01,`: ErrSyntax, `{"a":"x"}}`: ErrSyntax, "{\"a\":\"x\n": ErrSyntax, `{"a":"x\q`: ErrSyntax, `{"a":"x\u12g`: ErrSyntax,
		"{\"a\":\"x\xff\"": ErrSyntax, `{"a":[1,]`: ErrSyntax, `{"a" 1`: ErrSyntax, `{,`: ErrSyntax, `{"a":,`: ErrSyntax,
		`{"a":` + strings.Repeat("[", 10000): ErrDepth, `{"b":` + strings.Repeat(`{"a":`, 10000): ErrDepth,
	} {
		v := New("a")
		if err := v.Write(text); !errors.Is(err, want) || !errors.Is(v.Write(`"`), want) {
			t.Errorf("Write(%.20s) = %v, want %v for good", text, err, want)
		}
		if raw, ok := v.JSON(); ok && !json.Valid(raw) {
			t.Errorf("%.20s: known is %s", text, raw)
		}
	}
}

// TestReadingCostsTheSamePerByte however long the text is: no byte is read twice, and of a megabyte no more is
// allocated per byte than of a tenth. It is not parallel: the allocations of other tests would count.
func TestReadingCostsTheSamePerByte(t *testing.T) {
	allocated := func(size int) uint64 {
		text := `{"a":{"b":[` + strings.Repeat(`"words \n and \u00e9 more",1.5,{"c":true},`, size/42) + `null]}}`
		v := New("a")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := 0; i < len(text); i += 4 {
			if err := v.Write(text[i:min(len(text), i+4)]); err != nil {
				t.Fatal(err)
			}
			clear(v.raw[max(0, len(v.raw)-4):]) // those before are cleared already
		}
		runtime.ReadMemStats(&after)
		if raw, _ := v.JSON(); !v.Ended() || len(raw) != len(text)-len(`{"a":}`) || len(bytes.Trim(raw, "\x00")) > 0 {
			t.Fatalf("%d bytes are known, of %d, and not all were cleared", len(raw), len(text))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(100<<10), allocated(1<<20)
	if large > 20*small { // ten times as much text, in a buffer that grows by leaps
		t.Errorf("a megabyte allocates %d bytes, a tenth of one %d", large, small)
	}
}

// FuzzValue wants the known part to be JSON at any time, and the member's value in the end.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":"x"}`, `{"a":[1,{"b":null}],"a":-1.5e3}`, `{"\u0061":"\ud83d\ude00"}`, `{"a":"\ud83d\ud83d"}`, "{\"a\":\"\xc3", `{"a":{}} `, `{"a":[]}`} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, step int) {
		for _, member := range []string{"a", ""} {
			v := New(member)
			step = max(1, min(step, 16))
			var err error
			for i := 0; i < len(s) && err == nil; i += step {
				err = v.Write(s[i:min(len(s), i+step)])
				if raw, ok := v.JSON(); ok && !json.Valid(raw) {
					t.Fatalf("of %q is known %q", s[:min(len(s), i+step)], raw)
				}
			}
			var members map[string]json.RawMessage
			valid := json.Unmarshal([]byte(s), &members) == nil && members != nil
			if valid && err != nil && !errors.Is(err, ErrDepth) && json.Valid([]byte(strings.ToValidUTF8(s, ""))) && strings.ToValidUTF8(s, "") == s {
				t.Fatalf("%q is an object, and is not read: %v", s, err)
			}
			if !valid || err != nil {
				return
			}
			want, there := members[member]
			if member == "" {
				want, there = json.RawMessage(s), true
			}
			raw, ok := v.JSON()
			if ok != there || ok && !reflect.DeepEqual(decoded(t, raw), decoded(t, want)) {
				t.Fatalf("of %q is known %q, want %q", s, raw, want)
			}
		}
	})
}

func decoded(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
