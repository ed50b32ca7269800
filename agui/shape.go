package agui

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An EventError is the problem of an event that was to be sent. It is the sender's mistake, and never quotes a value.
type EventError struct {
	Type    EventType
	Path    string // as in [FieldError]
	Problem string
}

// Error returns type, path and problem.
func (e *EventError) Error() string {
	return "agui: " + string(e.Type) + " is malformed: " + (&FieldError{e.Path, e.Problem}).Error()
}

// errNoEvent is returned for a nil event.
var errNoEvent = errors.New("agui: no event")

// checkSet returns an error if e is nil or a nil pointer.
func checkSet(e Event) error {
	if e == nil || reflect.ValueOf(e).IsNil() {
		return errNoEvent
	}
	return nil
}

// Validate returns an [*EventError] for the first field of e that [Decode] would refuse or drop after [Encode], or that
// [DecodeInput] would refuse in a later request. It uses the table that Decode uses. Encode checks opaque JSON.
func Validate(e Event) error {
	if err := checkSet(e); err != nil {
		return err
	}
	problem := checkFields(reflect.ValueOf(e).Elem())
	if problem == nil {
		switch e := e.(type) {
		case *ToolCallResult:
			if !e.Content.IsZero() {
				problem = e.Content.fits(RoleTool, "content")
			}
		case *MessagesSnapshot:
			problem = checkMessageIDs(e.Messages)
		}
	}
	if problem == nil {
		return nil
	}
	return &EventError{Type: TypeOf(e), Path: problem.Path, Problem: problem.Problem}
}

// A checked type has rules beyond those of its fields. Check returns what breaks them, with a path that begins in the
// value.
type checked interface{ check() *FieldError }

// checkFields checks the fields of a struct by its tags.
func checkFields(v reflect.Value) *FieldError {
	for _, f := range planOf(v.Type()).fields {
		if problem := f.check(v.FieldByIndex(f.index)); problem != nil {
			return problem.in(f.name)
		}
	}
	return nil
}

// in returns e as seen from what holds the named member, or element.
func (e *FieldError) in(name string) *FieldError {
	path := name
	if strings.HasPrefix(e.Path, "[") {
		path += e.Path
	} else if e.Path != "" {
		path += "." + e.Path
	}
	return &FieldError{path, e.Problem}
}

func (f *fieldPlan) check(v reflect.Value) *FieldError {
	if v.Type() == rawType {
		return f.checkRaw(v.Bytes())
	}
	if c, ok := v.Addr().Interface().(checked); ok {
		return c.check()
	}
	switch v.Kind() {
	case reflect.String:
		return f.checkText(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			return f.check(v.Elem())
		}
	case reflect.Struct:
		return checkFields(v)
	case reflect.Slice:
		for i := range v.Len() {
			if problem := f.check(v.Index(i)); problem != nil {
				return problem.in("[" + strconv.Itoa(i) + "]")
			}
		}
	case reflect.Int64:
		if n := v.Int(); n > maxInteger || n < -maxInteger {
			return &FieldError{"", "must be an integer of at most 53 bits"}
		}
	default: // nothing is wrong with true or false
	}
	return nil
}

func (f *fieldPlan) checkRaw(raw json.RawMessage) *FieldError {
	switch {
	case len(raw) == 0 && f.required && !f.nullable:
		return &FieldError{"", "is missing"}
	case len(raw) == 0:
		return nil // absent, or null where there must be something
	case isNull(raw) && !f.nullable:
		return &FieldError{"", "must not be null"}
	case f.object && !isObject(raw):
		return &FieldError{"", "must be an object"}
	case !utf8.Valid(raw):
		return errNotUTF8
	}
	return nil
}

var errNotUTF8 = &FieldError{"", "is not valid UTF-8"}

func (f *fieldPlan) checkText(s string) *FieldError {
	switch {
	case s == "" && f.id:
		return &FieldError{"", "must not be empty"}
	case s == "" && (!f.required || len(f.enum) <= 1):
		return nil // left out, or the only value there is
	case len(f.enum) > 0 && !slices.Contains(f.enum, s):
		return &FieldError{"", "must be one of " + strings.Join(f.enum, ", ")}
	case !utf8.ValidString(s):
		return errNotUTF8
	}
	return nil
}

// Normalize changes e to the result of encoding and decoding it: invalid UTF-8 is replaced, and null optional members
// are removed. So the writer and the readers of e have the same values.
func Normalize(e Event) {
	if b := e.base(); b.RawEvent != nil && isNull(b.RawEvent) {
		b.RawEvent = nil
	}
	if _, effect := ItemOf(e); effect == Continues {
		delta := DeltaOf(e)
		*delta = validUTF8(*delta)
		return
	}
	switch e := e.(type) {
	case *ToolCallResult:
		if e.Content.kind == contentText {
			e.Content.text = validUTF8(e.Content.text)
		}
	case *RunFinished:
		if isNull(e.Result) {
			e.Result = nil
		}
	case *SubagentFinished:
		if isNull(e.Result) {
			e.Result = nil
		}
	case *SubagentError:
		e.Message, e.Code = validUTF8(e.Message), validUTF8(e.Code)
	case *RunError:
		e.Message, e.Code = validUTF8(e.Message), validUTF8(e.Code)
	}
}

func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
