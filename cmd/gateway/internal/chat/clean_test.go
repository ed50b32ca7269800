package chat

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, with\nlines\tand tabs":     "plain, with\nlines\tand tabs",
		"Grüße, 世界 👩\u200d👧 می\u200cخواهم": "Grüße, 世界 👩\u200d👧 می\u200cخواهم", // joiners belong to the text
		"\x1b[2J\x1b]0;title\x07":          "␛[2J␛]0;title␇",
		"covered\rover\r\nnext":            "coveredover\nnext",
		"\x7f\u009b31m":                    "␡\ufffd31m",
		"\u202egnp.exe\u2066\u2029":        "\ufffdgnp.exe\ufffd\ufffd",
		"hidden\u200b\ufeff\U000e0041":     "hidden\ufffd\ufffd\ufffd",
		"half \xff\xc3":                    "half \ufffd",
	} {
		if got := Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestCleanIsHarmless: whatever comes, in whatever pieces, a terminal is sent text.
func TestCleanIsHarmless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		whole := Clean(a + b)
		if i := strings.IndexFunc(whole, func(r rune) bool { return harmful(r) || r == '\r' }); i >= 0 {
			t.Errorf("Clean(%q) = %q", a+b, whole)
		}
		if pieces := Clean(a) + Clean(b); pieces != whole {
			t.Errorf("in pieces %q, as a whole %q", pieces, whole)
		}
		if again := Clean(whole); again != whole {
			t.Errorf("cleaned twice %q, once %q", again, whole)
		}
		if text := line(a+b, 10); strings.Contains(text, "\n") || len([]rune(text)) > 10 {
			t.Errorf("line() = %q", text)
		}
	})
}
