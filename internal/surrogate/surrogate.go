package surrogate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a string that keeps halves of surrogate pairs when it is read from JSON, each as three bytes that are not
// valid UTF-8. It is for a [Joiner], which returns valid text.
type Text string

// UnmarshalJSON reads a string. Null is an empty one.
func (t *Text) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	if *t = Text(text); err == nil && strings.ContainsRune(text, utf8.RuneError) {
		*t = Text(unquote(raw))
	}
	return err
}

// unquote decodes a string of JSON with its halves.
func unquote(raw []byte) string {
	out := make([]byte, 0, len(raw))
	raw = bytes.ToValidUTF8(raw[1:len(raw)-1], []byte(string(utf8.RuneError)))
	for {
		plain, rest, escaped := bytes.Cut(raw, []byte{'\\'})
		out = append(out, plain...)
		if !escaped {
			return string(out)
		}
		if rest[0] != 'u' {
			c := rest[0]
			if i := strings.IndexByte("bfnrt", c); i >= 0 {
				c = "\b\f\n\r\t"[i]
			}
			out, raw = append(out, c), rest[1:]
			continue
		}
		r := unit(rest)
		raw = rest[len("u0000"):]
		if bytes.HasPrefix(raw, []byte(`\u`)) && utf16.DecodeRune(r, unit(raw[1:])) != utf8.RuneError {
			r = utf16.DecodeRune(r, unit(raw[1:]))
			raw = raw[len(`\u0000`):]
		}
		if utf16.IsSurrogate(r) {
			out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
}

// unit reads the code unit of an escape, from its u on.
func unit(escape []byte) rune {
	n, _ := strconv.ParseUint(string(escape[1:5]), 16, 16) // it is valid JSON
	return rune(n)
}

// A Joiner joins the pieces of one text. The zero value is ready.
type Joiner struct {
	held rune // the first half of a character
}

// Add returns the next piece as valid text. It starts with a character that the piece before has begun. Half a
// character at the end is held for the next piece; a half on its own becomes U+FFFD, and is lost at the end of the
// text.
func (j *Joiner) Add(piece Text) string {
	if piece == "" || j.held == 0 && utf8.ValidString(string(piece)) {
		return string(piece)
	}
	out := make([]byte, 0, len(piece)+utf8.UTFMax)
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRuneInString(string(piece[i:]))
		if h := half(piece[i:]); h != 0 {
			r, size = h, 3
		}
		i += size
		if j.held != 0 {
			whole := utf16.DecodeRune(j.held, r)
			j.held = 0
			if out = utf8.AppendRune(out, whole); whole != utf8.RuneError {
				continue
			}
		}
		if r >= 0xD800 && r < 0xDC00 {
			j.held = r
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// half returns the half at the start of a text, 0 if there is none.
func half(text Text) rune {
	if len(text) < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}

// Valid returns the text with U+FFFD for each half.
func (t Text) Valid() string { return strings.ToValidUTF8(string(t), string(utf8.RuneError)) }
