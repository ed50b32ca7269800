package agui

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// maxSyntaxDepth is how deep encoding/json lets values be nested.
const maxSyntaxDepth = 10_000

// validJSON is json.Valid, faster: the texts that make up most of a conversation are passed over eight bytes at a time.
func validJSON(data []byte) bool {
	s := syntax{data: data}
	return s.value() && s.space() == len(data)
}

// A syntax is a reader of JSON that only wants to know whether it is any.
type syntax struct {
	data []byte
	at   int
	open []byte // the objects and arrays that are open, each by how it ends
}

// space passes over white space and returns where the next token begins.
func (s *syntax) space() int {
	s.at = skipSpace(s.data, s.at)
	return s.at
}

func (s *syntax) take(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *syntax) value() bool {
	for {
		s.space()
		switch {
		case s.take('{'):
			if empty, ok := s.enter('}'); !ok || !empty && !s.name() {
				return false
			} else if !empty {
				continue
			}
		case s.take('['):
			if empty, ok := s.enter(']'); !ok {
				return false
			} else if !empty {
				continue
			}
		case !s.scalar():
			return false
		}
		more, ok := s.behind()
		if !more {
			return ok
		}
	}
}

// enter opens an object or array that ends so, and reports whether it is empty; then it is over.
func (s *syntax) enter(end byte) (empty, ok bool) {
	if len(s.open) == maxSyntaxDepth {
		return false, false
	}
	if s.space(); s.take(end) {
		return true, true
	}
	s.open = append(s.open, end)
	return false, true
}

// behind reads the comma or bracket after a value, and reports whether another value follows and whether the syntax is
// valid.
func (s *syntax) behind() (more, ok bool) {
	for len(s.open) > 0 {
		end := s.open[len(s.open)-1]
		s.space()
		if s.take(',') {
			ok := end == ']' || s.name()
			return ok, ok
		}
		if !s.take(end) {
			return false, false
		}
		s.open = s.open[:len(s.open)-1]
	}
	return false, true
}

// name reads the name of a member and the colon behind it.
func (s *syntax) name() bool {
	if s.space(); !s.take('"') || !s.text() {
		return false
	}
	s.space()
	return s.take(':')
}

func (s *syntax) scalar() bool {
	if s.take('"') {
		return s.text()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.data[s.at:], []byte(word)) {
			s.at += len(word)
			return true
		}
	}
	end := s.at
	for end < len(s.data) && bytes.IndexByte([]byte("+-.0123456789Ee"), s.data[end]) >= 0 {
		end++
	}
	number := s.data[s.at:end]
	s.at = end
	return json.Valid(number)
}

func (s *syntax) text() bool {
	for {
		s.at = skipPlain(s.data, s.at)
		if s.at == len(s.data) {
			return false
		}
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return true
		case c != '\\': // a control character
			return false
		}
		if !s.escape() {
			return false
		}
	}
}

func (s *syntax) escape() bool {
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

// skipPlain returns where in a string, from i on, the next quote, backslash or control character is; the end of data if
// there is none.
func skipPlain(data []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		found := ((w - ones*0x20) | (quote - ones) | (slash - ones)) &^ w & highs
		// A byte of 0x80 and more is none of them; below that a difference borrows into its highest bit only from a
		// byte that is one of them, or from the one before it, so that the first that is found is right.
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
