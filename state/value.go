package state

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

	"github.com/agui-gateway/gateway/internal/patchcost"
)

// Values are kept as encoding/json decodes them into an any, numbers as [json.Number]: a float64 would lose
// integers beyond 2^53 and the difference between 1 and 1.0. A value has one owner; whoever wants to keep a
// second copy clones it.

// MaxDepth is how deep the values of a [Document] may nest. Request bodies are held to half of it, so only
// an agent can meet it. It also bounds every recursion over a document.
const MaxDepth = 128

// ErrValue is returned for a value that is not JSON, or not the kind of JSON that is needed where it stands.
var ErrValue = errors.New("state: wrong value")

// parseJSON reads exactly one value.
func parseJSON(raw []byte) (any, error) {
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

// parseObject reads an object; nothing and null are an empty one.
func parseObject(raw []byte) (map[string]any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	v, err := parseJSON(raw)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		if patchcost.Depth(v) > MaxDepth {
			return nil, fmt.Errorf("%w: nested too deep", ErrTooLarge)
		}
		return v, nil
	default:
		return nil, fmt.Errorf("%w: not an object", ErrValue)
	}
}

// toValue turns what a caller passes into a value of its own.
func toValue(v any) (any, error) {
	switch v := v.(type) { // what agents set most takes no detour
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
		return parseJSON(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	return parseJSON(raw)
}

// renderJSON writes v in the one spelling documents have: members sorted, no white space, nothing escaped
// that need not be.
func renderJSON(v any) json.RawMessage { return appendJSON(make([]byte, 0, sizeJSON(v)), v) }

func appendJSON(dst []byte, v any) []byte {
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
		return appendQuoted(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, key := range sortedKeys(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, key), ':')
			dst = appendJSON(dst, v[key])
		}
		return append(dst, '}')
	default:
		panic(fmt.Sprintf("state: %T in a document", v)) // parseJSON makes nothing else
	}
}

const hexDigits = "0123456789abcdef"

// short holds the control characters that have an escape of two bytes.
var short = [0x20]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		case short[c] != 0:
			dst = append(dst, '\\', short[c])
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	return append(dst, '"')
}

// sizeJSON is len(renderJSON(v)).
func sizeJSON(v any) int {
	switch v := v.(type) {
	case bool:
		if v {
			return len("true")
		}
		return len("false")
	case json.Number:
		return len(v)
	case string:
		return sizeQuoted(v)
	case []any:
		n := len("[]") + max(0, len(v)-1)
		for _, item := range v {
			n += sizeJSON(item)
		}
		return n
	case map[string]any:
		n := len("{}") + max(0, len(v)-1)
		for key, item := range v {
			n += sizeQuoted(key) + len(":") + sizeJSON(item)
		}
		return n
	default:
		return len("null")
	}
}

func sizeQuoted(s string) int {
	n := len(`""`) + len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c < 0x20 && short[c] != 0:
			n++
		case c < 0x20:
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// spend takes what v costs from n and stops when nothing is left: it says whether v is shorter than n bytes
// at a price bounded by n rather than by v.
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
			if n -= sizeQuoted(key) + len(":"); n <= 0 {
				break
			}
			n = spend(item, n)
		}
	default:
		n -= sizeJSON(v)
	}
	return n
}

// equalJSON compares by content. Numbers are equal if they are spelled alike: 1.0 is not 1, because a
// reader might tell them apart.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalJSON)
	default:
		switch b.(type) {
		case []any, map[string]any:
			return false
		}
		return a == b
	}
}

func cloneJSON(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cloneJSON(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = cloneJSON(item)
		}
		return out
	default:
		return v
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
