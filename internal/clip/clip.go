package clip

import "unicode/utf8"

// Ellipsis is what [To] and [Runes] put in the place of what they remove.
const Ellipsis = "…"

// Bytes returns the first n bytes of s, or fewer if a character would be cut in two.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// To returns s, or the first n bytes of a longer one and an ellipsis.
func To(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Bytes(s, n) + Ellipsis
}

// Runes returns s, or the first characters of one with more than n, so that there are n with the ellipsis.
func Runes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(0, n-1)]) + Ellipsis
}
