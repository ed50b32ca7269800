package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A reader fills structs from JSON by the protocol's rules rather than encoding/json's: names match by exact
// case, a known field of the wrong type or null is an error with its path, an unknown member is dropped with
// a warning. The structs' own tags are the table it works from:
//
//	`json:"name"`               required
//	`json:"name,omitempty"`     optional (omitzero likewise)
//	`agui:"optional"`           optional although it is always written
//	`agui:"object"`             opaque JSON that must be an object
//	`agui:"any"`                optional opaque JSON that may be null
//	`agui:"id"`                 text that a [Run] does not send empty
//	`enum:"a b"`                a string that is one of these
//	`null:"absent"`             null is read as absent, as older peers send it
type reader struct {
	warn func(Warning)
	// lenient reads null as absent wherever a member may be.
	lenient bool
}

// errDropped is returned for a value whose kind is unknown: its list goes on without it.
var errDropped = errors.New("agui: dropped")

// selfReader is implemented by the types that are more than a list of fields.
type selfReader interface {
	read(r *reader, path string, raw json.RawMessage) error
}

func (r *reader) drop(path, reason string) {
	if r.warn != nil {
		r.warn(Warning{path, reason})
	}
}

// object splits raw into its members. Of a repeated name the last one counts, as in JavaScript.
func (r *reader) object(path string, raw []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &FieldError{path, fmt.Sprintf("is not JSON (at byte %d)", syntax.Offset)}
		}
		return nil, &FieldError{path, "must be an object"}
	}
	if m == nil {
		return nil, &FieldError{path, "must be an object"}
	}
	return m, nil
}

// fields fills the struct that target points to from m.
func (r *reader) fields(path string, m map[string]json.RawMessage, target any) error {
	v := reflect.ValueOf(target).Elem()
	plan := planOf(v.Type())
	for name := range m {
		if _, known := plan.byName[name]; !known {
			r.drop(join(path, name), "is not a member of the protocol")
		}
	}
	for _, f := range plan.fields {
		at := join(path, f.name)
		raw, ok := m[f.name]
		switch {
		case ok && isNull(raw) && (f.nullAbsent || r.lenient && !f.required && !f.nullable):
			r.drop(at, "is null, read as absent")
			continue
		case !ok && f.required:
			return &FieldError{at, "is missing"}
		case !ok:
			continue
		case isNull(raw) && !f.nullable:
			return &FieldError{at, "must not be null"}
		case f.object && !isObject(raw):
			return &FieldError{at, "must be an object"}
		}
		if err := r.value(at, raw, v.FieldByIndex(f.index)); err != nil {
			if errors.Is(err, errDropped) && !f.required {
				continue
			}
			return err
		}
		if s := v.FieldByIndex(f.index); len(f.enum) > 0 && !slices.Contains(f.enum, s.String()) {
			return &FieldError{at, "must be one of " + strings.Join(f.enum, ", ")}
		}
	}
	return nil
}

// value fills v from raw, which is valid JSON.
func (r *reader) value(path string, raw json.RawMessage, v reflect.Value) error {
	if s, ok := v.Addr().Interface().(selfReader); ok {
		return s.read(r, path, raw)
	}
	if v.Type() == rawType {
		v.SetBytes(bytes.Clone(raw))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if err := r.value(path, raw, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	case reflect.Struct:
		m, err := r.object(path, raw)
		if err != nil {
			return err
		}
		return r.fields(path, m, v.Addr().Interface())
	case reflect.Slice:
		return r.list(path, raw, v)
	case reflect.Int64:
		return r.integer(path, raw, v)
	case reflect.Bool:
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			return &FieldError{path, "must be true or false"}
		}
		return nil
	default:
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return &FieldError{path, "must be a string"}
		}
		v.SetString(s)
		return nil
	}
}

func (r *reader) list(path string, raw json.RawMessage, v reflect.Value) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return &FieldError{path, "must be an array"}
	}
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if isNull(item) {
			return &FieldError{at, "must not be null"}
		}
		e := reflect.New(v.Type().Elem())
		err := r.value(at, item, e.Elem())
		if errors.Is(err, errDropped) {
			continue
		}
		if err != nil {
			return err
		}
		out = reflect.Append(out, e.Elem())
	}
	v.Set(out)
	return nil
}

// maxInteger is the largest integer JavaScript can count to, and so the protocol's.
const maxInteger = 1<<53 - 1

// integer reads numbers as JavaScript does, so that 1e3 and 5.0 are integers here when they are for the peer, and an
// exponent of any size costs nothing.
func (r *reader) integer(path string, raw json.RawMessage, v reflect.Value) error {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || f != math.Trunc(f) {
		return &FieldError{path, "must be an integer"}
	}
	if f > maxInteger || f < -maxInteger {
		return &FieldError{path, "must be an integer of at most 53 bits"}
	}
	v.SetInt(int64(f))
	return nil
}

var rawType = reflect.TypeFor[json.RawMessage]()

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// A plan is what reader.fields needs to know of a struct type.
type plan struct {
	fields []fieldPlan
	byName map[string]struct{}
}

type fieldPlan struct {
	name     string
	index    []int
	required bool
	// nullable values may be null, nullAbsent ones are then left out, object ones must be objects, ids must not be empty
	// when they are sent.
	nullable, nullAbsent, object, id bool
	enum                             []string
}

var plans sync.Map // reflect.Type → *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{byName: map[string]struct{}{}}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("json")
		if !ok || f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		p.byName[name] = struct{}{}
		required, rule := options == "", f.Tag.Get("agui")
		p.fields = append(p.fields, fieldPlan{
			name:       name,
			index:      f.Index,
			required:   required && rule != "optional" && rule != "any",
			nullable:   required && f.Type == rawType && rule != "object",
			nullAbsent: f.Tag.Get("null") == "absent",
			object:     rule == "object",
			id:         rule == "id",
			enum:       strings.Fields(f.Tag.Get("enum")),
		})
	}
	plans.Store(t, p)
	return p
}
