package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// Values are those of encoding/json decoded into an any, with numbers as [json.Number]: a float64 would lose integers
// beyond 2^53 and the difference between 1 and 1.0. A value has one owner, and a second owner needs a [Clone].

// MaxDepth is how deep documents may nest. It bounds every recursion over a document.
const MaxDepth = 128

// ErrValue is returned for a value that is not JSON, or JSON of the wrong kind.
var ErrValue = errors.New("wrong value")

// Parse decodes exactly one value. The error is [ErrValue].
func Parse(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: not JSON", ErrValue) // the cause may quote what must not be shown
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one JSON value", ErrValue)
	}
	return v, nil
}

// ParseObject decodes an object; nothing and null are an empty one. The error is [ErrValue] or [ErrTooLarge].
func ParseObject(raw []byte) (map[string]any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	v, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		if Depth(v) > MaxDepth {
			return nil, errDepth
		}
		return v, nil
	default:
		return nil, fmt.Errorf("%w: not an object", ErrValue)
	}
}

// ToValue converts v, as for [json.Marshal], into a value that shares nothing with v.
func ToValue(v any) (any, error) {
	switch v := v.(type) { // common kinds need no JSON
	case nil:
		return nil, nil
	case bool:
		return v, nil
	case string:
		return strings.ToValidUTF8(v, "\ufffd"), nil
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case json.RawMessage:
		if v == nil {
			return nil, nil
		}
		return Parse(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	return Parse(raw)
}

// Render returns the JSON of v in the one spelling that documents have: members sorted, no white space, no needless
// escapes.
func Render(v any) json.RawMessage { return Append(make([]byte, 0, Size(v)), v) }

// Append appends the JSON of v, as [Render] writes it.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case json.Number:
		return append(dst, v...)
	case string:
		return jsonscan.AppendQuoted(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, key := range SortedKeys(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsonscan.AppendQuoted(dst, key), ':')
			dst = Append(dst, v[key])
		}
		return append(dst, '}')
	default:
		panic(fmt.Sprintf("jsonpatch: %T in a document", v)) // Parse returns no other type
	}
}

// Size returns the length of Render(v).
func Size(v any) int {
	switch v := v.(type) {
	case bool:
		if v {
			return len("true")
		}
		return len("false")
	case json.Number:
		return len(v)
	case string:
		return jsonscan.QuotedLen(v)
	case []any:
		n := len("[]") + max(0, len(v)-1)
		for _, item := range v {
			n += Size(item)
		}
		return n
	case map[string]any:
		n := len("{}") + max(0, len(v)-1)
		for key, item := range v {
			n += jsonscan.QuotedLen(key) + len(":") + Size(item)
		}
		return n
	default:
		return len("null")
	}
}

// spend subtracts the size of v from n and stops at zero. It finds out whether v is shorter than n bytes in time
// bounded by n, not by v.
func spend(v any, n int) (left int) {
	switch v := v.(type) {
	case []any:
		n -= len("[]") + max(0, len(v)-1)
		for i := 0; i < len(v) && n > 0; i++ {
			n = spend(v[i], n)
		}
	case map[string]any:
		n -= len("{}") + max(0, len(v)-1)
		for key, item := range v {
			if n -= jsonscan.QuotedLen(key) + len(":"); n <= 0 {
				break
			}
			n = spend(item, n)
		}
	default:
		n -= Size(v)
	}
	return n
}

// Identical reports whether a and b have the same JSON. Numbers are compared by spelling, because a reader may
// distinguish 1.0 and 1; see [Equal].
func Identical(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Identical)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, Identical)
	default:
		switch b.(type) {
		case []any, map[string]any:
			return false
		}
		return a == b
	}
}

// Clone returns a deep copy of v.
func Clone(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Clone(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = Clone(item)
		}
		return out
	default:
		return v
	}
}

// SortedKeys returns the names of the members of m in order.
func SortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
