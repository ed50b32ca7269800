package partial

import "unicode/utf8"

// A text is a string that is being read.
type text struct {
	escape int    // 1 behind a backslash, 2 to 5 in the digits of \u
	unit   uint32 // of these digits
	high   bool   // a character of two units has its first one
	rune   []byte // of a character that is not complete
}

// next reads a byte. Whole says that a character is complete, closed that the string is.
func (t *text) next(c byte) (whole, closed bool, err error) {
	switch {
	case t.escape == 1:
		return t.escaped(c)
	case t.escape > 1:
		return t.digit(c)
	case len(t.rune) > 0 || c >= utf8.RuneSelf:
		t.rune = append(t.rune, c)
		if !utf8.FullRune(t.rune) {
			return false, false, nil
		}
		if r, _ := utf8.DecodeRune(t.rune); r == utf8.RuneError && string(t.rune) != "\uFFFD" {
			return false, false, ErrSyntax
		}
		t.rune, t.high = t.rune[:0], false
		return true, false, nil
	case c == '\\':
		t.escape = 1
		return false, false, nil
	case c < ' ':
		return false, false, ErrSyntax
	}
	t.high = false
	return true, c == '"', nil
}

func (t *text) escaped(c byte) (whole, closed bool, err error) {
	switch c {
	case 'u':
		t.escape, t.unit = 2, 0
		return false, false, nil
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		t.escape, t.high = 0, false
		return true, false, nil
	}
	return false, false, ErrSyntax
}

func (t *text) digit(c byte) (whole, closed bool, err error) {
	switch {
	case c >= '0' && c <= '9':
		c -= '0'
	case c >= 'a' && c <= 'f':
		c -= 'a' - 10
	case c >= 'A' && c <= 'F':
		c -= 'A' - 10
	default:
		return false, false, ErrSyntax
	}
	t.unit = t.unit<<4 | uint32(c)
	if t.escape++; t.escape <= 5 {
		return false, false, nil
	}
	const firstHigh, firstLow = 0xD800, 0xDC00
	t.escape, t.high = 0, t.unit >= firstHigh && t.unit < firstLow
	return !t.high, false, nil
}
