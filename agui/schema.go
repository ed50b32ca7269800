package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// A decoder fills structs from JSON by the protocol's rules rather than encoding/json's: names match by exact
// case, a known field of the wrong type or null is an error with its path, an unknown member is dropped with
// a warning. The structs' own tags are the table it works from:
//
//	`json:"name"`               required
//	`json:"name,omitempty"`     optional (omitzero likewise)
//	`agui:"optional"`           optional although it is always written
//	`agui:"object"`             opaque JSON that must be an object
//	`agui:"any"`                optional opaque JSON that may be null
//	`agui:"id"`                 text that must not be empty when it is sent
//	`enum:"a b"`                a string that is one of these
//	`null:"absent"`             null is read as absent, as older peers send it
//
// It keeps nothing of what it reads from, and what it makes is no larger than a multiple of that.
type decoder struct {
	// lenient reads null as absent wherever a member may be.
	lenient bool

	at       []step // where it is
	warnings []Warning
	dropped  int // how many warnings there were
	// left is how many bytes of lists and dictionaries may still be made.
	left int
	free []map[string]json.RawMessage // to be used again
}

// A step leads from a value to one of its members, or of its elements if it has no name.
type step struct {
	name  string
	index int
}

const (
	// maxWarnings is the maximum number of warnings for one value; of further ones only the number is reported.
	maxWarnings = 20
	// maxWarnedName is how many bytes of a peer's name are in one, and maxWarnedPath how many of its path.
	maxWarnedName, maxWarnedPath = 64, 200
	// What a decoder makes of a value is at most makesTimes as large, and makesAlways larger. The protocol's own items
	// are no larger than eight times the shortest JSON they are written as, but for those that hold nothing.
	makesTimes, makesAlways = 8, 64 << 10
)

// newDecoder returns a decoder of data, which is valid JSON.
func newDecoder(data []byte) *decoder {
	return &decoder{left: makesTimes*len(data) + makesAlways}
}

// errDropped is returned for a value of an unknown kind: its list omits it.
var errDropped = errors.New("agui: dropped")

// selfDecoder is implemented by the types that are more than a list of fields.
type selfDecoder interface {
	read(r *decoder, raw json.RawMessage) error
}

// path is where the decoder is, or the named member of it.
func (r *decoder) path(name string) string {
	var b strings.Builder
	for _, s := range r.at {
		s.write(&b)
	}
	if name != "" {
		step{name: name}.write(&b)
	}
	return b.String()
}

func (s step) write(b *strings.Builder) {
	switch {
	case s.name == "":
		b.WriteString("[" + strconv.Itoa(s.index) + "]")
	case b.Len() > 0:
		b.WriteString("." + s.name)
	default:
		b.WriteString(s.name)
	}
}

// fail is the error of the value the decoder is at, or of the named member of it.
func (r *decoder) fail(name, problem string) error { return &FieldError{r.path(name), problem} }

// drop warns of the value the decoder is at, or of the named member of it, which may be a peer's word.
func (r *decoder) drop(name, reason string) {
	if r.dropped++; len(r.warnings) == maxWarnings {
		return
	}
	r.warnings = append(r.warnings, Warning{cut(r.path(cut(name, maxWarnedName)), maxWarnedPath), reason})
}

// takeWarnings returns the warnings, and a note with the number of further ones.
func (r *decoder) takeWarnings() []Warning {
	if more := r.dropped - len(r.warnings); more > 0 {
		return append(r.warnings, Warning{"", "and " + strconv.Itoa(more) + " more"})
	}
	return r.warnings
}

// cut returns the beginning of s if it is longer than n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// within reads a part of the value the decoder is at.
func (r *decoder) within(s step, read func() error) error {
	r.at = append(r.at, s)
	err := read()
	r.at = r.at[:len(r.at)-1]
	return err
}

// spend accounts for n bytes that are about to be made.
func (r *decoder) spend(n int) error {
	if r.left -= n; r.left < 0 {
		return r.fail("", "has too many items")
	}
	return nil
}

// object returns the members of raw that p or others name, and drops the rest. Of a repeated name the last one counts,
// as in JavaScript. Give it back with release.
func (r *decoder) object(raw json.RawMessage, p *plan, others ...string) (map[string]json.RawMessage, error) {
	if !isObject(raw) {
		return nil, r.fail("", "must be an object")
	}
	m := r.unused()
	for quoted, value := range jsonscan.Members(raw) {
		text, _ := jsonscan.Unquote(quoted)
		name, known := p.names[string(text)]
		if i := slices.IndexFunc(others, func(other string) bool { return other == string(text) }); i >= 0 {
			name, known = others[i], true
		}
		if known {
			m[name] = value
		} else {
			r.drop(string(text), "is not a member of the protocol")
		}
	}
	return m, nil
}

func (r *decoder) unused() map[string]json.RawMessage {
	n := len(r.free)
	if n == 0 {
		return make(map[string]json.RawMessage)
	}
	m := r.free[n-1]
	r.free = r.free[:n-1]
	return m
}

func (r *decoder) release(m map[string]json.RawMessage) {
	clear(m)
	r.free = append(r.free, m)
}

// structure fills the struct that target points to from raw.
func (r *decoder) structure(raw json.RawMessage, target any) error {
	m, err := r.object(raw, planOf(reflect.TypeOf(target).Elem()))
	if err != nil {
		return err
	}
	defer r.release(m)
	return r.fields(m, target)
}

// fields fills the struct that target points to from m, which has no other members.
func (r *decoder) fields(m map[string]json.RawMessage, target any) error {
	v := reflect.ValueOf(target).Elem()
	for _, f := range planOf(v.Type()).fields {
		raw, ok := m[f.name]
		switch {
		case ok && isNull(raw) && (f.nullAbsent || r.lenient && !f.required && !f.nullable):
			r.drop(f.name, "is null, read as absent")
			continue
		case !ok && f.required:
			return r.fail(f.name, "is missing")
		case !ok:
			continue
		case isNull(raw) && !f.nullable:
			return r.fail(f.name, "must not be null")
		case f.object && !isObject(raw):
			return r.fail(f.name, "must be an object")
		}
		field := v.FieldByIndex(f.index)
		if err := r.within(step{name: f.name}, func() error { return r.value(raw, field) }); err != nil {
			if errors.Is(err, errDropped) && !f.required {
				continue
			}
			return err
		}
		if len(f.enum) > 0 && !slices.Contains(f.enum, field.String()) {
			return r.fail(f.name, "must be one of "+strings.Join(f.enum, ", "))
		}
	}
	return nil
}

func (r *decoder) value(raw json.RawMessage, v reflect.Value) error {
	if s, ok := v.Addr().Interface().(selfDecoder); ok {
		return s.read(r, raw)
	}
	if v.Type() == rawType {
		v.SetBytes(bytes.Clone(raw))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if err := r.value(raw, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	case reflect.Struct:
		return r.structure(raw, v.Addr().Interface())
	case reflect.Slice:
		return r.list(raw, v)
	case reflect.Int64:
		return r.integer(raw, v)
	case reflect.Bool:
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			return r.fail("", "must be true or false")
		}
		return nil
	default:
		s, ok := textOf(raw)
		if !ok {
			return r.fail("", "must be a string")
		}
		v.SetString(s)
		return nil
	}
}

func (r *decoder) list(raw json.RawMessage, v reflect.Value) error {
	if !isArray(raw) {
		return r.fail("", "must be an array")
	}
	n := jsonscan.Count(raw)
	if err := r.spend(n * int(v.Type().Elem().Size())); err != nil {
		return err
	}
	out, kept, i := reflect.MakeSlice(v.Type(), n, n), 0, 0
	for raw := range jsonscan.Elements(raw) {
		item := out.Index(kept)
		err := r.within(step{index: i}, func() error {
			if isNull(raw) {
				return r.fail("", "must not be null")
			}
			return r.value(raw, item)
		})
		i++
		switch {
		case errors.Is(err, errDropped):
			item.SetZero()
		case err != nil:
			return err
		default:
			kept++
		}
	}
	v.Set(out.Slice(0, kept))
	return nil
}

// maxInteger is the largest integer JavaScript can count to, and so the protocol's.
const maxInteger = 1<<53 - 1

// integer reads numbers as JavaScript does, so that 1e3 and 5.0 are integers here when they are for the peer, and an
// exponent of any size costs nothing.
func (r *decoder) integer(raw json.RawMessage, v reflect.Value) error {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || f != math.Trunc(f) {
		return r.fail("", "must be an integer")
	}
	if f > maxInteger || f < -maxInteger {
		return r.fail("", "must be an integer of at most 53 bits")
	}
	v.SetInt(int64(f))
	return nil
}

// textOf returns the text of a JSON string.
func textOf(quoted []byte) (string, bool) {
	text, ok := jsonscan.Unquote(quoted)
	return string(text), ok
}

var rawType = reflect.TypeFor[json.RawMessage]()

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

func isObject(raw json.RawMessage) bool { return startsWith(raw, '{') }

func isArray(raw json.RawMessage) bool { return startsWith(raw, '[') }

func startsWith(raw json.RawMessage, c byte) bool {
	i := jsonscan.Space(raw, 0)
	return i < len(raw) && raw[i] == c
}

// A plan is what decoder.fields needs to know of a struct type.
type plan struct {
	fields []fieldPlan
	names  map[string]string // of the fields, each by itself, so that one is found by bytes without a copy
}

type fieldPlan struct {
	name     string
	index    []int
	required bool
	// nullable values may be null, nullAbsent ones are then left out, object ones must be objects, ids must not be
	// empty when they are sent.
	nullable, nullAbsent, object, id bool
	enum                             []string
}

var plans sync.Map // reflect.Type → *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{names: map[string]string{}}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("json")
		if !ok || f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		p.names[name] = name
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

// checkSyntax returns an error if data is not JSON.
func checkSyntax(data []byte) error {
	if jsonscan.Valid(data) {
		return nil
	}
	var at int64
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(data, new(struct{}))); ok {
		at = syntax.Offset
	}
	return &FieldError{"", fmt.Sprintf("is not JSON (at byte %d)", at)}
}
