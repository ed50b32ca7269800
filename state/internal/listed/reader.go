package listed

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Reader moves over JSON without spaces, value by value. Its methods return false for what they do not read; nothing that was read before is
// worth anything then.
type Reader struct {
	data []byte
	at   int
}

// Read reads an object that package json has written, as [Reader.Object], and nothing else. It returns false if it gives up.
func Read(data []byte, f func(name []byte, r *Reader) bool) bool {
	r := Reader{data: data}
	return r.Object(f) && r.at == len(data)
}

// Object reads an object. F reads the value of each of its members, by one method; a name is good for as long as f runs.
func (r *Reader) Object(f func(name []byte, r *Reader) bool) bool {
	return r.members(func(name []byte) bool {
		for _, c := range name {
			if c == '\\' || c >= utf8.RuneSelf { // package json may take it for another
				return false
			}
		}
		return f(name, r)
	})
}

// Skip passes over the value of a name that is none of others. It gives up if package json took it for one of them, because it minds no case.
func (r *Reader) Skip(name []byte, others ...string) bool {
	for _, other := range others {
		if len(name) == len(other) && bytes.EqualFold(name, []byte(other)) {
			return false
		}
	}
	return r.value(0)
}

// Text reads a string.
func (r *Reader) Text(to *string) bool {
	from := r.at
	if !r.text() {
		return false
	}
	quoted := r.data[from:r.at]
	for _, c := range quoted {
		if c == '\\' || c >= utf8.RuneSelf {
			return json.Unmarshal(quoted, to) == nil
		}
	}
	*to = string(quoted[1 : len(quoted)-1])
	return true
}

// Time reads a time.
func (r *Reader) Time(to *time.Time) bool {
	from := r.at
	return r.text() && to.UnmarshalJSON(r.data[from:r.at]) == nil
}

// Int reads a whole number.
func (r *Reader) Int(to *int64) (ok bool) {
	from := r.at
	if !r.number() {
		return false
	}
	var err error
	*to, err = strconv.ParseInt(string(r.data[from:r.at]), 10, 64)
	return err == nil
}

// Uint reads a whole number that is not negative.
func (r *Reader) Uint(to *uint64) (ok bool) {
	from := r.at
	if !r.number() {
		return false
	}
	var err error
	*to, err = strconv.ParseUint(string(r.data[from:r.at]), 10, 64)
	return err == nil
}

// Bool reads a truth value.
func (r *Reader) Bool(to *bool) bool {
	*to = r.next() == 't'
	return r.word("true") || r.word("false")
}

// Texts reads a list of strings.
func (r *Reader) Texts(to *[]string) bool { return r.JSON(to) }

// JSON reads a list by package json.
func (r *Reader) JSON(to any) bool {
	from := r.at
	return r.next() == '[' && r.value(0) && json.Unmarshal(r.data[from:r.at], to) == nil
}
