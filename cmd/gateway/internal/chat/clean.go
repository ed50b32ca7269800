package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/clip"
)

// Clean returns text that is harmless in a terminal. Control characters, which could move the cursor, set the title or
// paste, are replaced by their Unicode pictures, and characters that reorder or hide text by U+FFFD. Line breaks and
// tabs stay; carriage returns, which could make text cover earlier text, are removed. A text may be cleaned in pieces.
func Clean(text string) string {
	if !strings.ContainsFunc(text, harmful) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		const pictures, deletePicture = 0x2400, 0x2421
		switch {
		case r == '\r':
			return -1
		case !harmful(r):
			return r
		case r < ' ':
			return pictures + r
		case r == 0x7f:
			return deletePicture
		default:
			return unicode.ReplacementChar
		}
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// harmful reports whether a terminal, or its reader, could take r for something other than what it is.
func harmful(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200c', '\u200d', '\u200e', '\u200f': // joiners, which emoji and several scripts need, and direction marks
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// line is text as a part of one line: clean, without breaks, and of at most most characters.
func line(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(Clean(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
	return clip.Runes(strings.TrimSpace(text), most)
}
