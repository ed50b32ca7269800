package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Marshal is [json.Marshal] without HTML escapes, so that raw JSON in v keeps its bytes.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// AppendQuoted appends text as a string of JSON, as [Marshal] writes it.
func AppendQuoted(out []byte, text string) []byte {
	out = append(out, '"')
	done := 0 // of text
	for i := 0; i < len(text); {
		if isPlain(text[i]) {
			i++
			continue
		}
		escape, size := escapeOf(text[i:])
		if escape != "" {
			out = append(append(out, text[done:i]...), escape...)
			done = i + size
		}
		i += size
	}
	return append(append(out, text[done:]...), '"')
}

// QuotedLen returns the number of bytes that [AppendQuoted] appends.
func QuotedLen(text string) int {
	n := len(`""`) + len(text)
	for i := 0; i < len(text); {
		if isPlain(text[i]) {
			i++
			continue
		}
		escape, size := escapeOf(text[i:])
		if escape != "" {
			n += len(escape) - size
		}
		i += size
	}
	return n
}

// isPlain reports whether c is a whole character that needs no escape.
func isPlain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

// controls are the escapes of control characters.
var controls = func() (escapes [' ']string) {
	for c := range escapes {
		escapes[c] = fmt.Sprintf(`\u%04x`, c)
	}
	escapes['\b'], escapes['\f'], escapes['\n'], escapes['\r'], escapes['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	return escapes
}()

// escapeOf returns the escape of the first character of text, empty if it needs none, and the size of the character.
func escapeOf(text string) (escape string, size int) {
	switch c := text[0]; {
	case c < ' ':
		return controls[c], 1
	case c == '"':
		return `\"`, 1
	case c == '\\':
		return `\\`, 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`, 1
	case r == '\u2028': // with U+2029 a line end of JavaScript
		return `\u2028`, size
	case r == '\u2029':
		return `\u2029`, size
	}
	return "", size
}
