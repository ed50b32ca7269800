// Package exact decodes JSON that others have written. For encoding/json a member EditedArgs is the field of
// editedArgs, though no schema that the members were held against knows it. Here a name is what it is, letter by
// letter.
package exact

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Unmarshal is [json.Unmarshal], but for a field with a name in its tag only the member of exactly this name counts.
// For one without, it is the member of the field's name, or else of that name in camel case, such as threadId for
// ThreadID.
func Unmarshal(data []byte, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || isPlain(t, 0) || !json.Valid(data) {
		return json.Unmarshal(data, v) // for its error
	}
	return json.Unmarshal(filter(data, t), v)
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// filter returns data, which are valid, without the members that a value of type t has no fields for.
func filter(data []byte, t reflect.Type) []byte {
	if isPlain(t, 0) {
		return data
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil || items == nil {
			return data
		}
		out := []byte{'['}
		for i, item := range items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, filter(item, t.Elem())...)
		}
		return append(out, ']')
	case reflect.Map, reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil || members == nil {
			return data
		}
		return object(members, t)
	default:
		return data
	}
}

// isPlain reports whether values of type t have no members that are fields, or decode themselves.
func isPlain(t reflect.Type, depth int) bool {
	const most = 8 // of a type that may contain itself
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler):
		return true
	case t.Kind() == reflect.Struct || depth > most:
		return false
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		return isPlain(t.Elem(), depth+1)
	default:
		return true
	}
}

// object returns the members that count for a map or a struct as JSON.
func object(members map[string]json.RawMessage, t reflect.Type) []byte {
	out := []byte{'{'}
	add := func(name []byte, raw json.RawMessage, t reflect.Type) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), filter(raw, t)...)
	}
	if t.Kind() == reflect.Map {
		for name, raw := range members {
			quoted, _ := json.Marshal(name) // a text
			add(quoted, raw, t.Elem())
		}
		return append(out, '}')
	}
	for _, f := range fieldsOf(t) {
		raw, ok := members[f.name]
		if !ok && f.camel != "" {
			raw, ok = members[f.camel]
		}
		if ok {
			add(f.quoted, raw, f.typ)
		}
	}
	return append(out, '}')
}

// A field is one of a struct that a member can have.
type field struct {
	name, camel string // camel is empty for a name of a tag
	quoted      []byte
	typ         reflect.Type
}

var known sync.Map // of []field, by type

func fieldsOf(t reflect.Type) []field {
	if list, ok := known.Load(t); ok {
		return list.([]field)
	}
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && name == "" {
			continue
		}
		one := field{name: name, typ: f.Type}
		if name == "" {
			one.name, one.camel = f.Name, camel(f.Name)
		}
		one.quoted = strconv.AppendQuote(nil, one.name)
		list = append(list, one)
	}
	known.Store(t, list)
	return list
}

// camel returns the name of a field in camel case.
func camel(name string) string {
	runes := []rune(name)
	for i := range runes {
		followed := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if before := i > 0 && !unicode.IsUpper([]rune(name)[i-1]); before || i > 0 && followed {
			continue // a word begins
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}
