package jsonscan

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// The functions of this file read JSON that is known to be valid. Unlike encoding/json they neither copy it nor
// check it again, so their cost is proportional to the bytes visited.

// Members yields the names, as they are written, and the values of an object.
func Members(object []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		i := Space(object, 0) + 1
		for {
			if i = Space(object, i); object[i] == '}' {
				return
			}
			name := object[i:valueEnd(object, i)]
			i = Space(object, i+len(name)) + 1 // the colon
			i = Space(object, i)
			value := object[i:valueEnd(object, i)]
			if !yield(name, value) {
				return
			}
			if i = Space(object, i+len(value)); object[i] == ',' {
				i++
			}
		}
	}
}

// Elements yields the elements of an array.
func Elements(array []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := Space(array, 0) + 1
		for {
			if i = Space(array, i); array[i] == ']' {
				return
			}
			value := array[i:valueEnd(array, i)]
			if !yield(json.RawMessage(value)) {
				return
			}
			if i = Space(array, i+len(value)); array[i] == ',' {
				i++
			}
		}
	}
}

// Count returns how many elements an array has.
func Count(array []byte) int {
	n := 0
	for range Elements(array) {
		n++
	}
	return n
}

// Space returns the position of the next token, from i on.
func Space(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

// valueEnd returns the end of the value at i.
func valueEnd(data []byte, i int) int {
	for open := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = StringEnd(data, i) - 1
		case '{', '[':
			open++
			continue
		case '}', ']':
			open--
		case ',', ':', ' ', '\t', '\n', '\r':
			continue
		default:
			for i+1 < len(data) && !strings.ContainsRune(",:]} \t\n\r", rune(data[i+1])) {
				i++
			}
		}
		if open == 0 {
			return i + 1
		}
	}
	return i
}

// StringEnd returns the end of the string at i.
func StringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		i = plainEnd(data, i)
		switch {
		case i == len(data):
			return i
		case data[i] == '\\':
			i++
		case data[i] == '"':
			return i + 1
		}
	}
	return i
}

// Unquote returns the text of a JSON string. It is part of quoted if nothing in it is escaped.
func Unquote(quoted []byte) ([]byte, bool) {
	if len(quoted) < len(`""`) || quoted[0] != '"' {
		return nil, false
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	var s string
	err := json.Unmarshal(quoted, &s)
	return []byte(s), err == nil
}
