package agui

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// The functions of this file take apart JSON that is known to be valid. Unlike encoding/json they neither copy it nor
// check it again, so the cost is proportional to the bytes visited.

// members yields the names, as they are written, and the values of an object.
func members(object []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		i := skipSpace(object, 0) + 1
		for {
			if i = skipSpace(object, i); object[i] == '}' {
				return
			}
			name := object[i:skipValue(object, i)]
			i = skipSpace(object, i+len(name)) + 1 // the colon
			i = skipSpace(object, i)
			value := object[i:skipValue(object, i)]
			if !yield(name, value) {
				return
			}
			if i = skipSpace(object, i+len(value)); object[i] == ',' {
				i++
			}
		}
	}
}

func elements(array []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := skipSpace(array, 0) + 1
		for {
			if i = skipSpace(array, i); array[i] == ']' {
				return
			}
			value := array[i:skipValue(array, i)]
			if !yield(json.RawMessage(value)) {
				return
			}
			if i = skipSpace(array, i+len(value)); array[i] == ',' {
				i++
			}
		}
	}
}

func count(array []byte) int {
	n := 0
	for range elements(array) {
		n++
	}
	return n
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns where the value that begins at i ends.
func skipValue(data []byte, i int) int {
	for open := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i) - 1
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

// skipString returns where the string that begins at i ends.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		i = skipPlain(data, i)
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

func unquoted(quoted []byte) (string, bool) {
	text, ok := textIn(quoted)
	return string(text), ok
}

// textIn returns the text of a JSON string, which is part of quoted unless something in it is escaped.
func textIn(quoted []byte) ([]byte, bool) {
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
