package guard

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestADetectorHoldsBackAWord and no more: the words before it are on their way.
func TestADetectorHoldsBackAWord(t *testing.T) {
	t.Parallel()
	m := &masking{finders: findersOf(Detectors())}
	for _, step := range []struct{ piece, goesOn string }{
		{"The meet", "The "}, {"ing is ", "meeting is "}, {"at 10, write to ann@exa", "at 10, write to "}, {"mple.org or call +49 30 12", "[email] or call "},
		{"34567. ", ""}, {"Then go", "[phone]. Then "},
	} {
		got, err := m.push(step.piece, false)
		if err != nil {
			t.Fatal(err)
		}
		if got != step.goesOn {
			t.Errorf("after %q goes on %q, want %q", step.piece, got, step.goesOn)
		}
		if held := len(m.held); held > 32 {
			t.Errorf("after %q %d bytes are held back: %q", step.piece, held, m.held)
		}
	}
}

// TestALongReply: a megabyte passes a window, in pieces or at once, at a cost that does not grow with it.
func TestALongReply(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words and ann@example.org ", 40_000)
	m := &masking{finders: append(findersOf(Detectors()), (&Rule{Match: regexp.MustCompile("x{3}")}).finders()...)}
	var out strings.Builder
	most := 0
	for rest := long; rest != ""; {
		n := min(len(rest), 100)
		piece, err := m.push(rest[:n], len(rest) == n)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(piece)
		rest, most = rest[n:], max(most, len(m.held))
	}
	if want := strings.ReplaceAll(long, "ann@example.org", "[email]"); out.String() != want {
		t.Errorf("%d bytes went on, want %d", out.Len(), len(want))
	}
	if most > 200 {
		t.Errorf("up to %d bytes were held back", most)
	}
	greedy := &masking{finders: (&Rule{Match: regexp.MustCompile(`(?s)a.*`)}).finders()}
	for range 1000 {
		if _, err := greedy.push(strings.Repeat("a", 100), false); err != nil || len(greedy.held) > longest {
			t.Fatalf("%v, %d bytes are held back", err, len(greedy.held))
		}
	}
}

func TestDetectors(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE" + strings.Repeat("aB3+", 500) + "==\n-----END RSA " + "PRIVATE KEY-----"
	for text, want := range map[string]string{
		"a.b+c@mail.example.co.uk, x@y":                      "[email], x@y",
		"5500 0000 0000 0004":                                "[card]",
		"4111111111111111 4111111111111112 0000000000000000": "[card] 4111111111111112 0000000000000000",
		"on 2026-11-23 at 10:30 for 1,250.00":                "on 2026-11-23 at 10:30 for 1,250.00",
		"(555) 123-4567, 030/1234567, 0049 30 1234567":       "[phone], [phone], [phone]",
		"GB82 WEST 1234 5698 7654 32.":                       "[iban].",
		"GB82 WEST 1234 5698 7654 33.":                       "GB82 WEST 1234 5698 7654 33.",
		"see " + key + " there":                              "see [secret] there",
		"AKIA" + strings.Repeat("Q", 16):                     "[secret]",
		"eyJhbGciOiJI." + "eyJzdWIiOiIx." + "abcDEF_-":       "[secret]",
		`{"api_key": "abcdef123"}`:                           `{"[secret]"}`,
		"the secret of success":                              "the secret of success",
	} {
		if got := NewRedactor().Redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		m, got := &masking{finders: findersOf(Detectors())}, ""
		for i, r := range text { // the same, a character at a time
			piece, err := m.push(string(r), i+utf8.RuneLen(r) == len(text))
			if err != nil {
				t.Fatal(err)
			}
			got += piece
		}
		if got != want {
			t.Errorf("%q becomes %q as it comes, want %q", text, got, want)
		}
	}
}

func TestARedactorOfLogs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: NewRedactor(Email).Attr}))
	log.Info("to ann@example.org", "error", errors.New("no bob@example.org"), "n", 1)
	if got := out.String(); strings.Contains(got, "@example") || !strings.Contains(got, "[email]") || !strings.Contains(got, "n=1") {
		t.Errorf("logged %s", got)
	}
}

// FuzzMasking: however a text is cut, the masked parts are those of the whole, and whole characters pass.
func FuzzMasking(f *testing.F) {
	f.Add("write to ann@example.org, 4111 1111 1111 1111 ok", 3)
	f.Add("é😀 +49 30 1234567 x", 1)
	f.Add("GB82 WEST 1234 5698 7654 32 password: x", 5)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || size < 1 || size > 64 || len(text) > 2000 {
			return
		}
		m := &masking{finders: (&Rule{Match: regexp.MustCompile(`[0-9]{3}`), Mask: "#"}).finders()}
		whole, err := (&masking{finders: m.finders}).push(text, true)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rest := text; ; {
			n := min(size, len(rest))
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			piece, err := m.push(rest[:n], n == len(rest))
			if err != nil || !utf8.ValidString(piece) {
				t.Fatalf("%q goes on, %v", piece, err)
			}
			got += piece
			if rest = rest[n:]; rest == "" {
				break
			}
		}
		if got != whole {
			t.Errorf("in pieces %q, at once %q", got, whole)
		}
	})
}
