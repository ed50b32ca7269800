package chat

import (
	"bytes"
	"encoding/json"
)

// A schema is the part of a JSON Schema that forms in a terminal use. Answers are validated with the whole schema.
type schema struct {
	Type        json.RawMessage   `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []json.RawMessage `json:"enum"`
	OneOf       []json.RawMessage `json:"oneOf"`
	Const       json.RawMessage   `json:"const"`
	Default     json.RawMessage   `json:"default"`
	Properties  json.RawMessage   `json:"properties"`
	Required    []string          `json:"required"`

	raw json.RawMessage
}

// parseSchema parses a schema. An invalid one becomes the zero value, which accepts any JSON.
func parseSchema(raw json.RawMessage) schema {
	var s schema
	if json.Unmarshal(raw, &s) != nil {
		s = schema{}
	}
	s.raw = raw
	return s
}

// kind is the one type that a value may have; empty if it is several or any.
func (s schema) kind() string {
	var kind string
	_ = json.Unmarshal(s.Type, &kind) // a list of types is none
	if kind == "" && len(s.Properties) > 0 {
		return "object"
	}
	return kind
}

// choices returns the possible values with their labels: those of enum, or of a oneOf that has only constants.
func (s schema) choices() (list []choice) {
	for _, value := range s.Enum {
		list = append(list, choice{value: value, label: label(value)})
	}
	for _, raw := range s.OneOf {
		one := parseSchema(raw)
		if len(one.Const) == 0 {
			return list
		}
		name := one.Title
		if name == "" {
			name = label(one.Const)
		}
		list = append(list, choice{value: one.Const, label: line(name, mostLabel)})
	}
	return list
}

// bare reports whether an answer may be typed without the object around it: it has one member of type string or any.
func (s schema) bare() bool {
	list := members(s.Properties)
	if len(list) != 1 || len(s.Required) != 1 || s.Required[0] != list[0].name {
		return false
	}
	one := parseSchema(list[0].value)
	return len(one.choices()) == 0 && (one.kind() == "string" || one.kind() == "")
}

// A member is a member of an object, in the order in which it was written.
type member struct {
	name  string
	value json.RawMessage
}

// members are those of an object in order; nil if raw is none.
func members(raw json.RawMessage) (list []member) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		var value json.RawMessage
		if err != nil || !isName || decoder.Decode(&value) != nil {
			return nil
		}
		list = append(list, member{name, value})
	}
	return list
}

// valueOf is the member of an object by its name; nil if there is none.
func valueOf(object json.RawMessage, name string) json.RawMessage {
	for _, m := range members(object) {
		if m.name == name {
			return m.value
		}
	}
	return nil
}
