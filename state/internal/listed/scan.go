package listed

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep values may be nested that are passed over. What is deeper is left to package json, which has a limit of its own.
const maxDepth = 100

// next is the byte at hand; 0, which no JSON has there, at the end.
func (r *Reader) next() byte {
	if r.at == len(r.data) {
		return 0
	}
	return r.data[r.at]
}

// is moves over a byte, if it is the next one.
func (r *Reader) is(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

// value moves over a value that is nested so deep.
func (r *Reader) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch r.next() {
	case '{':
		return r.members(func([]byte) bool { return r.value(depth + 1) })
	case '[':
		return r.list(']', func() bool { return r.value(depth + 1) })
	case '"':
		return r.text()
	case 't':
		return r.word("true")
	case 'f':
		return r.word("false")
	case 'n':
		return r.word("null")
	default:
		return r.number()
	}
}

// members moves over an object whose values are moved over by f, which is told their names as they are spelled.
func (r *Reader) members(f func(name []byte) bool) bool {
	return r.next() == '{' && r.list('}', func() bool {
		from := r.at
		return r.text() && r.is(':') && f(r.data[from+1:r.at-2])
	})
}

// list moves over what f moves over, with commas between, from the opening bracket on up to a closing one.
func (r *Reader) list(end byte, f func() bool) bool {
	r.at++
	if r.is(end) {
		return true
	}
	for f() {
		if !r.is(',') {
			return r.is(end)
		}
	}
	return false
}

func (r *Reader) word(word string) bool {
	if len(r.data)-r.at < len(word) || string(r.data[r.at:r.at+len(word)]) != word {
		return false
	}
	r.at += len(word)
	return true
}

func (r *Reader) number() bool {
	r.is('-')
	if !r.is('0') && !r.digits() {
		return false
	}
	if r.is('.') && !r.digits() {
		return false
	}
	if r.is('e') || r.is('E') {
		_ = r.is('+') || r.is('-')
		return r.digits()
	}
	return true
}

func (r *Reader) digits() bool {
	from := r.at
	for c := r.next(); c >= '0' && c <= '9'; c = r.next() {
		r.at++
	}
	return r.at > from
}

// text moves over a string.
func (r *Reader) text() bool {
	if !r.is('"') {
		return false
	}
	for {
		r.plain()
		switch {
		case r.is('"'):
			return true
		case !r.is('\\') || !r.escape(): // a control character, or the end
			return false
		}
	}
}

// plain moves on to the next quote, backslash or control character, eight bytes at a time.
func (r *Reader) plain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; r.at+8 <= len(r.data); r.at += 8 {
		w := binary.LittleEndian.Uint64(r.data[r.at:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// A byte of 0x80 and more is none of them. A difference borrows into the highest bit of another only from one that is, or from the one
		// before it, so that the first that is found is right.
		if found := ((w - ones*' ') | (quote - ones) | (slash - ones)) &^ w & highs; found != 0 {
			r.at += bits.TrailingZeros64(found) / 8
			return
		}
	}
	for c := r.next(); c != '"' && c != '\\' && c >= ' '; c = r.next() {
		r.at++
	}
}

// escape moves over what follows a backslash.
func (r *Reader) escape() bool {
	switch r.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.at++
		return true
	case 'u':
		r.at++
		for range 4 {
			c := r.next()
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
			r.at++
		}
		return true
	}
	return false
}
