package jsonpatch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrPointer is returned for a pointer that RFC 6901 does not allow, or that has no meaning for an operation, such
// as the removal of "".
var ErrPointer = errors.New("bad pointer")

// ErrNotFound is returned when a pointer leads nowhere.
var ErrNotFound = errors.New("pointer leads nowhere")

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer returns the JSON Pointer of tokens, each the name of a member or the index of an element. Without tokens
// it is "", the whole document.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		_, _ = escapePointer.WriteString(&b, t) // a Builder takes everything
	}
	return b.String()
}

// ParsePointer splits pointer into its tokens. The error is [ErrPointer].
func ParsePointer(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("%w: %q does not begin with a slash", ErrPointer, pointer)
	}
	if !utf8.ValidString(pointer) {
		return nil, fmt.Errorf("%w: %q is not UTF-8", ErrPointer, pointer)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		if !strings.Contains(t, "~") {
			continue
		}
		for at := 0; at < len(t); at++ {
			if t[at] == '~' && (at+1 == len(t) || t[at+1] != '0' && t[at+1] != '1') {
				return nil, fmt.Errorf("%w: %q has a ~ that is neither ~0 nor ~1", ErrPointer, pointer)
			}
		}
		tokens[i] = unescapePointer.Replace(t)
	}
	return tokens, nil
}

// Below reports whether pointer is top or leads into it. Both are escaped, and a pointer has one spelling.
func Below(pointer, top string) bool {
	return len(pointer) >= len(top) && pointer[:len(top)] == top &&
		(len(pointer) == len(top) || pointer[len(top)] == '/')
}

// within is Below for parsed pointers.
func within(path, top []string) bool {
	return len(path) >= len(top) && slices.Equal(path[:len(top)], top)
}

// Inside reports whether path leads below top and not to top itself.
func Inside(path, top []string) bool { return len(path) > len(top) && within(path, top) }

// Index reads t as an index into an array of n elements. RFC 6901 allows neither a sign nor a leading zero.
func Index(t string, n int) (int, bool) {
	if t == "" || len(t) > 10 || t[0] == '0' && len(t) > 1 {
		return 0, false
	}
	for i := range len(t) {
		if t[i] < '0' || t[i] > '9' {
			return 0, false
		}
	}
	i, err := strconv.Atoi(t)
	return i, err == nil && i < n
}

// Find follows path from v.
func Find(v any, path []string) (any, bool) {
	for _, t := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[t]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, ok := Index(t, len(c))
			if !ok {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// safe returns the number of leading tokens of path that every reader can follow. fast-json-patch refuses names of
// a prototype, and evanphx/json-patch does not find empty names.
func safe(path []string) int {
	for i, t := range path {
		if t == "" || isPrototype(path, i) {
			return i
		}
	}
	return len(path)
}

// isPrototype reports whether the token i of path leads to a prototype of JavaScript.
func isPrototype(path []string, i int) bool {
	return path[i] == "__proto__" || path[i] == "prototype" && i > 0 && path[i-1] == "constructor"
}

// ReachesPrototype reports whether any token of path leads to a prototype of JavaScript.
func ReachesPrototype(path []string) bool {
	for i := range path {
		if isPrototype(path, i) {
			return true
		}
	}
	return false
}
