package wire

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzPattern holds the search for a pattern to what bytes.Contains says.
func FuzzPattern(f *testing.F) {
	for _, m := range []pattern{surfacePattern, partsPattern, inlinePattern} {
		f.Add([]byte(m.text))
		f.Add([]byte(m.text[:len(m.text)-1]))
		f.Add([]byte("[[TT{{" + m.text + "[[TT{{"))
		f.Add([]byte(strings.Repeat(m.text[:m.rare+1], 3) + m.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range []pattern{surfacePattern, partsPattern, inlinePattern} {
			if got, want := m.in(data), bytes.Contains(data, []byte(m.text)); got != want {
				t.Errorf("%q: in(%q) = %t", m.text, data, got)
			}
		}
	})
}

// BenchmarkPattern looks for a pattern in a snapshot of 2,000 messages that has none.
func BenchmarkPattern(b *testing.B) {
	message := `{"id":"m1234","role":"assistant","content":"` + strings.Repeat("Words that were said. ", 20) + `"},`
	data := []byte(`{"type":"MESSAGES_SNAPSHOT","timestamp":1790000000000,"messages":[` + strings.Repeat(message, 2000) + `{}]}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if surfacePattern.in(data) {
			b.Fatal("there is none")
		}
	}
}

// BenchmarkPatternThatIsNotRare is the same in a text that is nothing but the byte that is looked for.
func BenchmarkPatternThatIsNotRare(b *testing.B) {
	data := bytes.Repeat([]byte("T"), 1<<20)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if surfacePattern.in(data) {
			b.Fatal("there is none")
		}
	}
}
