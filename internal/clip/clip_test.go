package clip

import "testing"

func TestClip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		s                     string
		n                     int
		cut, clip, characters string
	}{
		{"", 0, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "abc…", "ab…"},
		{"abcd", 0, "", "…", "…"},
		{"aéb", 2, "a", "a…", "a…"},
		{"aéb", 3, "aé", "aé…", "aéb"},
		{"\u65e5\u672c", 5, "\u65e5", "\u65e5…", "\u65e5\u672c"},
		{"\u65e5\u672c", 1, "", "…", "…"},
	} {
		if got := Bytes(test.s, test.n); got != test.cut {
			t.Errorf("Bytes(%q, %d) = %q, want %q", test.s, test.n, got, test.cut)
		}
		if got := To(test.s, test.n); got != test.clip {
			t.Errorf("To(%q, %d) = %q, want %q", test.s, test.n, got, test.clip)
		}
		if got := Runes(test.s, test.n); got != test.characters {
			t.Errorf("Runes(%q, %d) = %q, want %q", test.s, test.n, got, test.characters)
		}
	}
}
