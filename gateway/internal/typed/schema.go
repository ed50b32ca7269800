package typed

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/internal/exact"
)

// A schema is the part of a question's JSON Schema that is relevant for typed answers.
type schema struct {
	Type       json.RawMessage   `json:"type"`
	Enum       []json.RawMessage `json:"enum"`
	OneOf      []constant        `json:"oneOf"`
	AnyOf      []constant        `json:"anyOf"`
	Required   []string          `json:"required"`
	Properties map[string]schema `json:"properties"`
}

// A constant is one of the values of a schema that lists them with titles.
type constant struct {
	Const json.RawMessage `json:"const"`
	Title string          `json:"title"`
}

// An enumValue is an enumerated value with an optional title.
type enumValue struct {
	value json.RawMessage
	title string
}

func readSchema(raw json.RawMessage) schema {
	var s schema
	if exact.Unmarshal(raw, &s) != nil {
		return schema{} // a schema with other keywords is left to full validation
	}
	return s
}

// member returns the only required member, for which an answer may be a bare value; empty if there is none.
func (s schema) member() string {
	if len(s.Required) != 1 {
		return ""
	}
	return s.Required[0]
}

// answer is the schema of a bare answer: that of the only member an answer needs, or s itself.
func (s schema) answer() schema {
	if member := s.member(); member != "" {
		return s.Properties[member]
	}
	return s
}

func (s schema) answerType() string {
	var name string
	if exact.Unmarshal(s.answer().Type, &name) != nil {
		return ""
	}
	return name
}

// offers reports whether the schema enumerates the answers.
func (s schema) offers() bool {
	a := s.answer()
	return len(a.Enum)+len(a.OneOf)+len(a.AnyOf) > 0
}

// values are the values that the schema lists, nil if it describes others too.
func (s schema) values() []enumValue {
	a := s.answer()
	var list []enumValue
	for _, v := range a.Enum {
		list = append(list, enumValue{value: v})
	}
	if list != nil {
		return list
	}
	for _, c := range append(a.OneOf[:len(a.OneOf):len(a.OneOf)], a.AnyOf...) {
		if c.Const == nil {
			return nil
		}
		list = append(list, enumValue{c.Const, c.Title})
	}
	return list
}
