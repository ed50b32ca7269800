package listed

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// A Reader moves over JSON value by value. Its methods return false for values that they do not read; the caller then
// discards everything that was read before.
type Reader struct{ scan jsonscan.Scanner }

// Read reads an object, as [Reader.Object], and nothing else. It returns false for JSON that only package json reads.
func Read(data []byte, f func(name []byte, r *Reader) bool) bool {
	r := Reader{scan: jsonscan.New(data)}
	return r.Object(f) && r.scan.End()
}

// Object reads an object. F reads the value of each of its members, by one method; a name is valid while f runs.
func (r *Reader) Object(f func(name []byte, r *Reader) bool) bool {
	return r.scan.Object(func(name []byte) bool {
		for _, c := range name {
			if c == '\\' || c >= utf8.RuneSelf { // package json may match it to another name
				return false
			}
		}
		return f(name, r)
	})
}

// Skip passes over the value of a member that is none of others. It returns false if package json, which ignores case,
// matches the name to one of them.
func (r *Reader) Skip(name []byte, others ...string) bool {
	for _, other := range others {
		if len(name) == len(other) && bytes.EqualFold(name, []byte(other)) {
			return false
		}
	}
	return r.scan.Value()
}

// Text reads a string.
func (r *Reader) Text(to *string) bool { return r.scan.Text(to) }

// Time reads a time.
func (r *Reader) Time(to *time.Time) bool {
	raw, ok := r.scan.Raw()
	return ok && raw[0] == '"' && to.UnmarshalJSON(raw) == nil
}

// Int reads a whole number.
func (r *Reader) Int(to *int64) bool { return r.scan.Int(to) }

// Uint reads a whole number that is not negative.
func (r *Reader) Uint(to *uint64) bool {
	digits, ok := r.scan.Number()
	if !ok {
		return false
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	*to = n
	return err == nil
}

// Bool reads a truth value.
func (r *Reader) Bool(to *bool) bool {
	*to = r.scan.Peek() == 't'
	return r.scan.Literal("true") || r.scan.Literal("false")
}

// JSON reads a list by package json.
func (r *Reader) JSON(to any) bool {
	raw, ok := r.scan.Raw()
	return ok && raw[0] == '[' && json.Unmarshal(raw, to) == nil
}
