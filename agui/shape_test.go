package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What Validate accepts is what a reader accepts, over all types and what their fields may hold.
func TestTheCheckAgreesWithTheDecoder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		types := slices.Sorted(maps.Keys(structs))
		e := newEvent(rapid.SampledFrom(types).Draw(rt, "type"))
		populate(rt, reflect.ValueOf(e).Elem(), 0)
		Normalize(e)
		refused := Validate(e)
		data, err := Encode(e)
		if err != nil {
			return // it is not sent, whatever the check says
		}
		var decoded error
		again, err := Decode(data, func(w Warning) { decoded = errors.Join(decoded, errors.New(w.String())) })
		decoded = errors.Join(decoded, err)
		if refused == nil && decoded != nil {
			rt.Fatalf("%s is accepted, and read with %v", data, decoded)
		}
		if refused == nil {
			if second, err := Encode(again); err != nil || !bytes.Equal(second, data) {
				rt.Fatalf("%s is accepted, and written again as %s (%v)", data, second, err)
			}
			return
		}
		malformed, _ := errors.AsType[*EventError](refused)
		for _, stricter := range []string{"must not be empty", errNotUTF8.Problem, "has a name that is not valid UTF-8", "is not a member of this role's messages"} {
			if malformed.Problem == stricter {
				return // a reader does not see it, or takes it as it is
			}
		}
		if decoded == nil {
			rt.Fatalf("%s is refused: %v", data, refused)
		}
	})
}

// populate fills v with values that are often right and sometimes wrong.
func populate(rt *rapid.T, v reflect.Value, deep int) {
	pick := func(values ...string) string { return rapid.SampledFrom(values).Draw(rt, "value") }
	raw := func() json.RawMessage {
		s := pick("", "", "{}", "{}", `{"a":1}`, "null", "[]", "1", "\"\xff\"")
		if s == "" {
			return nil
		}
		return json.RawMessage(s)
	}
	if !v.CanSet() { // unexported, and so no member of the JSON
		return
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes(raw())
		return
	case Metadata:
		if rapid.IntRange(0, 9).Draw(rt, "metadata") == 0 {
			v.Set(reflect.ValueOf(Metadata{pick("a", "\xff"): raw()}))
		}
		return
	case Content:
		c := Content{}
		switch rapid.IntRange(0, 6).Draw(rt, "content") {
		case 1, 2:
			c = TextContent(pick("x", "x", ""))
		case 3:
			c = ObjectContent(json.RawMessage(pick("{}", "{\"a\":\"\xff\"}")))
		case 4:
			part := Part{}
			populate(rt, reflect.ValueOf(&part).Elem(), deep+1)
			c = PartsContent(part)
		}
		v.Set(reflect.ValueOf(c))
		return
	case Role:
		v.SetString(pick("", "assistant", "user", "tool", "reasoning", "activity", "bot"))
		return
	case PartType:
		v.SetString(pick("text", "text", "image", "x"))
		return
	case SourceType:
		v.SetString(pick("data", "url", "file", "x"))
		return
	case OutcomeType:
		v.SetString(pick("success", "interrupt", "cancelled", "suspended", ""))
		return
	}
	if v.Kind() != reflect.Struct && v.Kind() != reflect.String && deep > 0 && rapid.IntRange(0, 2).Draw(rt, "set") > 0 || deep > 6 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(pick("x", "x", "x", "", "/a", "add", "remove", "move", "message", "resolved", "function", "\xff"))
	case reflect.Int64:
		v.SetInt(rapid.SampledFrom([]int64{0, 1, -1, 1 << 53}).Draw(rt, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, "flag"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(rt, v.Elem(), deep+1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			populate(rt, field, deep+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		populate(rt, v.Index(0), deep+1)
	default:
	}
}
