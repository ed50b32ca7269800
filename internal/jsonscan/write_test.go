package jsonscan

import (
	"strings"
	"testing"
)

// FuzzAppendQuoted compares strings with those of encoding/json.
func FuzzAppendQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\b\t\n\f\r\"\\/<>&\x7f", "é😀\u2028\u2029", "a\xffb", strings.Repeat("x", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendQuoted(nil, s); string(got) != string(want) || QuotedLen(s) != len(want) {
			t.Fatalf("AppendQuoted(%q) = %s (%d bytes counted), want %s (%d)", s, got, QuotedLen(s), want, len(want))
		}
	})
}
