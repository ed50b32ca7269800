package model

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Decode stores the settings in the struct that into points to, each in the field with that name in its `json` tag;
// fields of keys that are not there keep their values. A [time.Duration] is read from a text such as "30s", and a
// number or a switch from a text too, because values of the environment are texts. Keys without a field, and values of
// the wrong kind, are [*SettingError]s, joined: all mistakes are reported at once. It panics if into does not point to
// a struct.
func (c Config) Decode(into any) error {
	target := reflect.ValueOf(into).Elem()
	fields := map[string]reflect.Value{}
	var names []string
	for i := range target.NumField() {
		name, _, _ := strings.Cut(target.Type().Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = target.Field(i)
			names = append(names, name)
		}
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(c.Settings)) {
		field, known := fields[key]
		if !known {
			errs = append(errs,
				&SettingError{Path: []string{key}, Text: "unknown key; there are " + strings.Join(names, ", ")})
			continue
		}
		if err := decodeSetting(key, c.Settings[key], field); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func decodeSetting(key string, value any, field reflect.Value) error {
	if field.Type() == reflect.TypeFor[time.Duration]() {
		text, _ := value.(string)
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return &SettingError{Path: []string{key},
				Text: "not a length of time; write a number with its unit, such as 500ms, 30s or 10m"}
		}
		field.SetInt(int64(d))
		return nil
	}
	raw, err := json.Marshal(value)
	if text, ok := value.(string); ok && plain(field.Type()) && json.Valid([]byte(text)) {
		raw = []byte(text)
	}
	if err == nil {
		err = json.Unmarshal(raw, field.Addr().Interface())
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		path := []string{key}
		if wrong.Field != "" {
			path = append(path, strings.Split(wrong.Field, ".")...)
		}
		return &SettingError{Path: path, Text: "a value of another kind belongs here: " + kindName(wrong.Type)}
	}
	if err != nil {
		return &SettingError{Path: []string{key}, Text: "the value cannot be read"}
	}
	return nil
}

// plain reports whether t's values are numbers, or true and false.
func plain(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text; put it in quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	case reflect.Pointer:
		return kindName(t.Elem())
	default:
		return "a whole number"
	}
}
