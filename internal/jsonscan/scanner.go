package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// maxDepth is how deep encoding/json lets values nest.
const maxDepth = 10_000

// Valid is [json.Valid], faster.
func Valid(data []byte) bool {
	s := New(data)
	return s.Value() && s.End()
}

// A Scanner moves over JSON from its beginning. Its methods pass over white space before a token. They report false
// for anything else than they read; the position is then undefined.
type Scanner struct {
	data  []byte
	at    int
	depth int    // of objects that [Scanner.Object] reads
	open  []byte // the objects and arrays that [Scanner.Value] has entered, each by its closing byte
}

// New returns a scanner of data. It does not copy data.
func New(data []byte) Scanner { return Scanner{data: data} }

// Offset returns the position in data.
func (s *Scanner) Offset() int { return s.at }

func (s *Scanner) space() {
	for s.at < len(s.data) && isSpace(s.data[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// End reports whether nothing but white space follows.
func (s *Scanner) End() bool {
	s.space()
	return s.at == len(s.data)
}

// Peek returns the first byte of the next token, 0 at the end.
func (s *Scanner) Peek() byte {
	if s.End() {
		return 0
	}
	return s.data[s.at]
}

// Take passes over c.
func (s *Scanner) Take(c byte) bool {
	s.space()
	return s.byte(c)
}

func (s *Scanner) byte(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// Literal passes over text, with no white space before it.
func (s *Scanner) Literal(text string) bool {
	if len(s.data)-s.at < len(text) || string(s.data[s.at:s.at+len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
}

// Null passes over null.
func (s *Scanner) Null() bool {
	s.space()
	return s.Literal("null")
}

// Value passes over a value with everything in it.
func (s *Scanner) Value() bool {
	for {
		switch s.Peek() {
		case '{':
			if empty, ok := s.enter('}'); !ok || !empty && !s.name() {
				return false
			} else if !empty {
				continue
			}
		case '[':
			if empty, ok := s.enter(']'); !ok {
				return false
			} else if !empty {
				continue
			}
		default:
			if !s.scalar() {
				return false
			}
		}
		more, ok := s.afterValue()
		if !more {
			return ok
		}
	}
}

// Raw passes over a value and returns it as it is written.
func (s *Scanner) Raw() ([]byte, bool) {
	s.space()
	from := s.at
	ok := s.Value()
	return s.data[from:s.at], ok
}

// enter opens an object or array, and closes it if it is empty.
func (s *Scanner) enter(end byte) (empty, ok bool) {
	if len(s.open)+s.depth == maxDepth {
		return false, false
	}
	s.at++
	if s.Take(end) {
		return true, true
	}
	s.open = append(s.open, end)
	return false, true
}

// afterValue consumes the comma after a value, or the brackets that close. More says that another value follows.
func (s *Scanner) afterValue() (more, ok bool) {
	for len(s.open) > 0 {
		end := s.open[len(s.open)-1]
		if s.Take(',') {
			ok := end == ']' || s.name()
			return ok, ok
		}
		if !s.byte(end) {
			return false, false
		}
		s.open = s.open[:len(s.open)-1]
	}
	return false, true
}

// name passes over the name of a member and its colon.
func (s *Scanner) name() bool {
	_, _, ok := s.String()
	return ok && s.Take(':')
}

func (s *Scanner) scalar() bool {
	switch s.Peek() {
	case '"':
		_, _, ok := s.String()
		return ok
	case 't':
		return s.Literal("true")
	case 'f':
		return s.Literal("false")
	case 'n':
		return s.Literal("null")
	}
	_, ok := s.Number()
	return ok
}

// Number reads a number and returns it as it is written.
func (s *Scanner) Number() ([]byte, bool) {
	s.space()
	from := s.at
	s.byte('-')
	if !s.byte('0') && !s.digits() || s.byte('.') && !s.digits() {
		return nil, false
	}
	if s.byte('e') || s.byte('E') {
		if _ = s.byte('+') || s.byte('-'); !s.digits() {
			return nil, false
		}
	}
	return s.data[from:s.at], true
}

func (s *Scanner) digits() bool {
	from := s.at
	for s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// Int reads a whole number.
func (s *Scanner) Int(to *int64) bool {
	digits, ok := s.Number()
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	*to = n
	return err == nil
}

// String passes over a string and returns the bytes between its quotes, and whether any of them are escapes. They
// may be invalid UTF-8.
func (s *Scanner) String() (inner []byte, escaped, ok bool) {
	if !s.Take('"') {
		return nil, false, false
	}
	from := s.at
	for {
		s.at = plainEnd(s.data, s.at)
		if s.at == len(s.data) {
			return nil, false, false
		}
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[from : s.at-1], escaped, true
		case c != '\\': // a control character
			return nil, false, false
		}
		if escaped = true; !s.escape() {
			return nil, false, false
		}
	}
}

// escape passes over an escaped character.
func (s *Scanner) escape() bool {
	if s.at += 2; s.at > len(s.data) {
		return false
	}
	c := s.data[s.at-1]
	if c != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0
	}
	for end := s.at + 4; s.at < end; s.at++ {
		if s.at == len(s.data) || bytes.IndexByte([]byte("0123456789abcdefABCDEF"), s.data[s.at]) < 0 {
			return false
		}
	}
	return true
}

// Text reads a string of valid UTF-8. It does not allocate if the target has the same text.
func (s *Scanner) Text(to *string) bool {
	inner, escaped, ok := s.String()
	if !ok || !utf8.Valid(inner) {
		return false
	}
	if escaped {
		return json.Unmarshal(s.data[s.at-len(inner)-2:s.at], to) == nil
	}
	if *to != string(inner) {
		*to = string(inner)
	}
	return true
}

// Object reads an object. Member reads the value of each member, by one method; the name is as it is written.
func (s *Scanner) Object(member func(name []byte) bool) bool {
	if !s.Take('{') {
		return false
	}
	if s.Take('}') {
		return true
	}
	s.depth++
	for {
		name, _, ok := s.String()
		if !ok || !s.Take(':') || !member(name) {
			return false
		}
		if !s.Take(',') {
			s.depth--
			return s.byte('}')
		}
	}
}

// plainEnd returns the position of the next quote, backslash or control character of a string, from i on; the end
// of data if there is none.
func plainEnd(data []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		found := ((w - ones*0x20) | (quote - ones) | (slash - ones)) &^ w & highs
		// A byte of 0x80 and more is none of them. Below that a difference borrows into the highest bit of a byte
		// only from a byte that is one of them, or from the one before it, so the first that is found is right.
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c == '"' || c == '\\' || c < 0x20 {
			return i
		}
	}
	return i
}
