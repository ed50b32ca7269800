package english

import (
	"strings"
	"unicode"
)

// Letters of the Latin alphabets that people type with or without their accent.
// A table is enough here: names in other scripts are looked up as they are.
const (
	accented = "àáâãäåāăąçćčďđèéêëēėęěğģìíîïīįıķłļñńňņòóôõöøōőŕřśşšșťţțùúûüūůűųýÿźżž"
	plain    = "aaaaaaaaacccddeeeeeeeeggiiiiiiiklllnnnnooooooooorrsssstttuuuuuuuuyyzzz"
)

var unaccented = func() map[rune]rune {
	m := map[rune]rune{}
	to := []rune(plain)
	for i, r := range []rune(accented) {
		m[r] = to[i]
	}
	return m
}()

// fold returns the words of s in the form that names are compared in: lower case,
// without accents, apostrophes and the possessive, one space between two words.
func fold(s string) string {
	var b strings.Builder
	for i, w := range split(s) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.key)
	}
	return b.String()
}

func foldWord(s string) string {
	var b strings.Builder
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case isApostrophe(r), unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		case r == 'æ':
			b.WriteString("ae")
		case r == 'œ':
			b.WriteString("oe")
		default:
			if u, ok := unaccented[r]; ok {
				r = u
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isApostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == 'ʼ' || r == '`'
}
