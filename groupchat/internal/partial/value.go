// Package partial reads JSON while it is being written: the arguments of a call that a model has begun, for example.
// The known part of a value is closed to valid JSON at any time, and reading costs the same per byte however long the
// text is.
package partial

import (
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"
)

// MaxDepth is how deep a text may nest.
const MaxDepth = 128

// The errors of texts that are not read on.
var (
	ErrSyntax = errors.New("partial: not JSON")
	ErrDepth  = errors.New("partial: nested too deeply")
)

// A Value is a JSON object that is being written, or one of its members. Its zero value is the whole object. It is for
// one goroutine.
type Value struct {
	member string // empty: the object itself

	state  state
	stack  []byte // what closes the objects and lists that are open
	err    error
	scalar []byte // the number or name that is being read
	key    []byte // the key of the object itself that is being read, with its quotes
	text   text   // the string that is being read

	raw    []byte // of the value
	at     int    // how deep it is in
	inside bool   // it is being read
	// safe is how many bytes of raw can be closed to JSON, in a string if inString is set; 0 for none.
	safe     int
	inString bool
}

// New returns the value of a member of an object; an empty name is the object itself. Of several members of the name
// the last one counts.
func New(member string) *Value { return &Value{member: member} }

type state int

const (
	wantObject state = iota // nothing was read yet
	wantValue
	wantItem  // a value, or the end of a list that is empty so far
	wantFirst // a key, or the end of an object that is empty so far
	wantKey
	inKey
	wantColon
	inText
	inScalar
	wantMore // a comma, or the end of the open value
	ended
)

// Write reads more. An error sticks, and the part before it stays known.
func (v *Value) Write(s string) error {
	for i := 0; i < len(s) && v.err == nil; i++ {
		v.err = v.next(s[i])
	}
	return v.err
}

// Len returns how many bytes of the value were read.
func (v *Value) Len() int { return len(v.raw) }

// Ended reports whether the value is complete. A later member of the same name begins it again.
func (v *Value) Ended() bool { return v.safe > 0 && !v.inside }

// JSON returns the known part of the value, closed to valid JSON, and whether there is any.
func (v *Value) JSON() (json.RawMessage, bool) {
	if v.safe == 0 {
		return nil, false
	}
	raw := slices.Clone(v.raw[:v.safe])
	if !v.inside {
		return raw, true
	}
	if v.inString {
		raw = append(raw, '"')
	}
	for _, closer := range slices.Backward(v.stack[v.at:]) {
		raw = append(raw, closer)
	}
	return raw, true
}

func (v *Value) next(c byte) error {
	switch {
	case v.state == inText || v.state == inKey:
		return v.inQuotes(c)
	case v.state == inScalar && !delimits(c):
		v.scalar = append(v.scalar, c)
		v.keep(c)
		return nil
	case v.state == inScalar && !json.Valid(v.scalar):
		return ErrSyntax
	case v.state == inScalar:
		v.complete()
	}
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		if len(v.raw) > 0 {
			v.keep(c)
		}
		return nil
	}
	switch v.state {
	case wantObject:
		if c != '{' {
			return ErrSyntax
		}
		v.begin(v.member == "")
		return v.open('}', wantFirst)
	case wantValue, wantItem:
		return v.value(c)
	case wantFirst, wantKey:
		if c == '}' && v.state == wantFirst {
			return v.close(c)
		}
		if c != '"' {
			return ErrSyntax
		}
		v.keep(c)
		v.state, v.text, v.key = inKey, text{}, append(v.key[:0], c)
		return nil
	case wantColon:
		if c != ':' {
			return ErrSyntax
		}
		v.keep(c)
		v.state = wantValue
		if len(v.stack) == 1 && v.member != "" {
			var name string
			v.begin(json.Unmarshal(v.key, &name) == nil && name == v.member)
		}
		return nil
	case wantMore:
		return v.more(c)
	default:
		return ErrSyntax
	}
}

// begin notes that the value begins with the next byte, if it does.
func (v *Value) begin(here bool) {
	if here {
		v.raw, v.safe, v.inString, v.inside, v.at = v.raw[:0], 0, false, true, len(v.stack)
	}
}

func (v *Value) value(c byte) error {
	switch {
	case c == ']' && v.state == wantItem:
		return v.close(c)
	case c == '{':
		return v.open('}', wantFirst)
	case c == '[':
		return v.open(']', wantItem)
	case c == '"':
		v.keep(c)
		v.state, v.text = inText, text{}
		v.safely(true)
	case delimits(c) || c == ':':
		return ErrSyntax
	default:
		v.keep(c)
		v.state, v.scalar = inScalar, append(v.scalar[:0], c)
	}
	return nil
}

func (v *Value) more(c byte) error {
	if c != ',' {
		return v.close(c)
	}
	v.keep(c)
	if v.state = wantValue; v.stack[len(v.stack)-1] == '}' {
		v.state = wantKey
	}
	return nil
}

func (v *Value) open(closer byte, next state) error {
	if len(v.stack) == MaxDepth {
		return ErrDepth
	}
	v.keep(closer - 2) // in ASCII the opening one is two before
	v.stack = append(v.stack, closer)
	v.state = next
	v.safely(false)
	return nil
}

func (v *Value) close(c byte) error {
	if c != v.stack[len(v.stack)-1] {
		return ErrSyntax
	}
	v.keep(c)
	v.stack = v.stack[:len(v.stack)-1]
	v.complete()
	return nil
}

// complete notes that a value inside, or the value itself, is complete.
func (v *Value) complete() {
	v.safely(false)
	if v.inside && len(v.stack) == v.at {
		v.inside = false
	}
	if v.state = wantMore; len(v.stack) == 0 {
		v.state = ended
	}
}

// safely notes that the part read so far can be closed.
func (v *Value) safely(inString bool) {
	if v.inside {
		v.safe, v.inString = len(v.raw), inString
	}
}

func (v *Value) keep(c byte) {
	if v.inside {
		v.raw = append(v.raw, c)
	}
}

func (v *Value) inQuotes(c byte) error {
	whole, closed, err := v.text.next(c)
	if err != nil {
		return err
	}
	v.keep(c)
	if v.state == inKey {
		if len(v.stack) == 1 && v.member != "" {
			v.key = append(v.key, c)
		}
		if closed {
			v.state = wantColon
		}
		return nil
	}
	switch {
	case closed:
		v.complete()
	case whole:
		v.safely(true)
	}
	return nil
}

// delimits reports whether c ends a number or a name.
func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ']', '}':
		return true
	}
	return false
}

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
