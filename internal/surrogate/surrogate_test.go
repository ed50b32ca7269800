package surrogate

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestJoiner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pieces []string // strings of JSON
		want   string
	}{
		{[]string{`"Hi "`, `"you"`}, "Hi |you"},
		{[]string{`"Hi \ud83d"`, `"\ude00!"`}, "Hi |😀!"},
		{[]string{`"\uD83D"`, `""`, `"\uDE00"`}, "||😀"},
		{[]string{`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ude00"`}, "😀||😀|😀"},
		{[]string{`"\ud83d"`, `"a"`}, "|\uFFFDa"},
		{[]string{`"\ud83d\ud83d"`, `"\ude00"`}, "\uFFFD|😀"},
		{[]string{`"\ude00a\ud83d"`}, "\uFFFDa"},
		{[]string{`"\ud83da"`, `"\ude00"`}, "\uFFFDa|\uFFFD"},
		{[]string{`"\"\\\/\b\f\n\r\t\u00e9é \\ud83d \ud83d"`, `"\ude00"`}, "\"\\/\b\f\n\r\téé \\ud83d |😀"},
		{[]string{`"\ufffd"`, `null`, `"한\uD55C\ud83d"`}, "\uFFFD||한한"},
		{[]string{"\"a\xff\\ud83d\"", `"\ude00"`}, "a\uFFFD|😀"},
	} {
		var j Joiner
		var got []string
		for _, piece := range tt.pieces {
			var text Text
			if err := json.Unmarshal([]byte(piece), &text); err != nil {
				t.Fatalf("%s: %v", piece, err)
			}
			got = append(got, j.Add(text))
		}
		if joined := strings.Join(got, "|"); joined != tt.want {
			t.Errorf("%s = %q, want %q", tt.pieces, joined, tt.want)
		}
	}
	var text Text
	if json.Unmarshal([]byte(`1`), &text) == nil {
		t.Error("a number is read as text")
	}
}

// FuzzJoiner cuts a text between code units, as JavaScript does.
func FuzzJoiner(f *testing.F) {
	f.Add("a😀b\\\n한", uint8(2), uint8(3))
	f.Fuzz(func(t *testing.T, text string, a, b uint8) {
		if !utf8.ValidString(text) {
			return
		}
		units := utf16.Encode([]rune(text))
		first := min(int(a), len(units))
		second := min(first+int(b), len(units))
		var j Joiner
		got := ""
		for _, piece := range [][]uint16{units[:first], units[first:second], units[second:]} {
			raw := `"`
			for _, u := range piece {
				raw += `\u` + strings.Repeat("0", 4-len(strconv.FormatUint(uint64(u), 16))) + strconv.FormatUint(uint64(u), 16)
			}
			var part Text
			if err := json.Unmarshal([]byte(raw+`"`), &part); err != nil {
				t.Fatal(err)
			}
			got += j.Add(part)
		}
		if got != text {
			t.Errorf("%q came as %q", text, got)
		}
	})
}
