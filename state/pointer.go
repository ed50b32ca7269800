package state

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrPointer is returned for a pointer that RFC 6901 does not allow, or that cannot mean anything to the
// method it was given to, such as removing "".
var ErrPointer = errors.New("state: bad pointer")

// ErrNotFound is returned when a pointer leads nowhere.
var ErrNotFound = errors.New("state: pointer leads nowhere")

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer returns the JSON Pointer (RFC 6901) that leads through tokens, each an object's member name or an
// array's index. Without tokens it is "", the whole document.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		_, _ = escapePointer.WriteString(&b, t) // a Builder takes everything
	}
	return b.String()
}

// CheckPointer reports why pointer is no JSON Pointer (RFC 6901).
func CheckPointer(pointer string) error {
	_, err := parsePointer(pointer)
	return err
}

// parsePointer splits pointer into its tokens.
func parsePointer(pointer string) ([]string, error) {
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

// below reports whether pointer is top or leads into it. Both are escaped, and a pointer has one spelling.
func below(pointer, top string) bool {
	return len(pointer) >= len(top) && pointer[:len(top)] == top && (len(pointer) == len(top) || pointer[len(top)] == '/')
}

// within is below for parsed pointers.
func within(path, top []string) bool {
	return len(path) >= len(top) && slices.Equal(path[:len(top)], top)
}

// inside reports whether path leads below top and not to top itself.
func inside(path, top []string) bool { return len(path) > len(top) && within(path, top) }

// arrayIndex reads t as an index into an array of n elements. RFC 6901 wants it without sign or leading zero.
func arrayIndex(t string, n int) (int, bool) {
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

// find follows path from v.
func find(v any, path []string) (any, bool) {
	for _, t := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[t]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, ok := arrayIndex(t, len(c))
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

// safe returns how many tokens of path every reader can follow. fast-json-patch refuses names that reach a
// prototype; evanphx/json-patch loses its way at an empty one.
func safe(path []string) int {
	for i, t := range path {
		if t == "" || t == "__proto__" || t == "prototype" && i > 0 && path[i-1] == "constructor" {
			return i
		}
	}
	return len(path)
}
