package document

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// A Reducer combines the value at a pointer, nil if absent, with the one that is set there, and returns the one to
// be there. It may be called again with the same arguments, and runs under the document's lock.
type Reducer func(old, new json.RawMessage) (json.RawMessage, error)

// Reducers maps pointers to their reducers.
type Reducers map[string]Reducer

// ParseReducer returns the reducer that a team file names: append, merge or replace. [ErrValue] if it is none of these.
func ParseReducer(name string) (Reducer, error) {
	switch name {
	case "append":
		return Append, nil
	case "merge":
		return Merge, nil
	case "replace":
		return Replace, nil
	default:
		return nil, fmt.Errorf("%w: no reducer is called %q; there are append, merge and replace", ErrValue, name)
	}
}

// Replace is the reducer of every pointer that has none: the new value.
func Replace(_, new json.RawMessage) (json.RawMessage, error) { return new, nil }

// Merge puts the members of one object over those of another, key by key and not deeper. Absent and null count as {}.
func Merge(old, new json.RawMessage) (json.RawMessage, error) {
	a, err := jsonpatch.ParseObject(old)
	if err != nil {
		return nil, err
	}
	b, err := jsonpatch.ParseObject(new)
	if err != nil {
		return nil, err
	}
	maps.Copy(a, b)
	return jsonpatch.Render(a), nil
}

// Append puts the elements of one array after those of another. Absent and null count as []; a new value
// that is no array is appended as one element. For one element of a long list, setting "/list/-" is cheaper.
func Append(old, new json.RawMessage) (json.RawMessage, error) {
	a, b, err := lists(old, new)
	if err != nil {
		return nil, err
	}
	return jsonpatch.Render(append(a, b...)), nil
}

func lists(old, new json.RawMessage) (a, b []any, err error) {
	v, err := optional(old)
	if err != nil {
		return nil, nil, err
	}
	a, ok := v.([]any)
	if !ok && v != nil {
		return nil, nil, fmt.Errorf("%w: what is to be appended to is no array", ErrValue)
	}
	if v, err = optional(new); err != nil {
		return nil, nil, err
	}
	b, ok = v.([]any)
	if !ok && v != nil {
		b = []any{v}
	}
	return a, b, nil
}
