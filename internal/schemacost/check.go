package schemacost

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// The keywords with schemas in their values, by the part of the instance that they apply to.
var (
	sameOne   = []string{"not", "if", "then", "else"}
	sameList  = []string{"allOf", "anyOf", "oneOf"}
	sameNamed = []string{"dependentSchemas", "dependencies"}
	eachItem  = []string{"items", "additionalItems", "unevaluatedItems", "contains"}
	eachValue = []string{"additionalProperties", "unevaluatedProperties"}
)

// Check returns an error that wraps [ErrCost] if it takes more than [MaxSteps] to hold value against the schema.
// Whether they match is not looked at.
func (g *Cost) Check(value json.RawMessage) error {
	v, err := decode(value)
	if err != nil {
		return err
	}
	if err := numbers(v); err != nil {
		return err
	}
	w := walk{g: g, left: MaxSteps}
	if !w.schema(g.root, v) {
		return tooMuch("to hold the value against it takes more than " + strconv.Itoa(MaxSteps) + " steps")
	}
	return nil
}

func numbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for _, item := range v {
			if err := numbers(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := numbers(member); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRecursion is how deep schemas may lead to each other for one value.
const maxRecursion = 1000

// A walk counts steps. Its methods report whether some are left.
type walk struct {
	g     *Cost
	left  int
	depth int // of the recursion
}

func (w *walk) pay(n int) bool {
	w.left -= n
	return w.left >= 0
}

// schema holds v against s, in every way that s may ask for. A recursion that has no other end is ended by its depth.
func (w *walk) schema(s, v any) bool {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxRecursion || !w.pay(1) {
		return false
	}
	keywords, ok := s.(map[string]any)
	if !ok {
		return true
	}
	if ref, ok := keywords["$ref"].(string); ok && !w.schema(w.g.places[ref], v) {
		return false
	}
	if values, ok := keywords["enum"].([]any); ok && !w.pay(len(values)) {
		return false
	}
	if !w.same(keywords, v) {
		return false
	}
	switch v := v.(type) {
	case string:
		pattern, _ := keywords["pattern"].(string)
		return w.match(pattern, v)
	case []any:
		return w.items(keywords, v)
	case map[string]any:
		return w.members(keywords, v)
	}
	return true
}

// same holds v against the schemas that are for v itself.
func (w *walk) same(keywords map[string]any, v any) bool {
	for _, name := range sameOne {
		if s, ok := keywords[name]; ok && !w.schema(s, v) {
			return false
		}
	}
	for _, name := range sameList {
		list, _ := keywords[name].([]any)
		for _, s := range list {
			if !w.schema(s, v) {
				return false
			}
		}
	}
	for _, name := range sameNamed {
		named, _ := keywords[name].(map[string]any)
		for _, s := range named {
			if !w.schema(s, v) {
				return false
			}
		}
	}
	return true
}

// items holds the items of an array against their schemas.
func (w *walk) items(keywords map[string]any, list []any) bool {
	if unique, _ := keywords["uniqueItems"].(bool); unique && !w.pay(len(list)*len(list)/16) {
		return false // validators compare each with each, more or less cleverly
	}
	for _, name := range eachItem {
		s, ok := keywords[name]
		if _, several := s.([]any); !ok || several {
			continue
		}
		for _, item := range list {
			if !w.schema(s, item) {
				return false
			}
		}
	}
	for _, name := range []string{"items", "prefixItems"} {
		schemas, _ := keywords[name].([]any)
		for i, s := range schemas[:min(len(schemas), len(list))] {
			if !w.schema(s, list[i]) {
				return false
			}
		}
	}
	return true
}

// members holds the members of an object, and their names, against their schemas.
func (w *walk) members(keywords, object map[string]any) bool {
	properties, _ := keywords["properties"].(map[string]any)
	patterns, _ := keywords["patternProperties"].(map[string]any)
	names, hasNames := keywords["propertyNames"]
	if !w.pay(len(properties)) {
		return false
	}
	for name, member := range object {
		if s, ok := properties[name]; ok && !w.schema(s, member) {
			return false
		}
		for pattern, s := range patterns {
			if !w.match(pattern, name) || !w.schema(s, member) {
				return false
			}
		}
		if hasNames && !w.schema(names, name) {
			return false
		}
		for _, keyword := range eachValue {
			if s, ok := keywords[keyword]; ok && !w.schema(s, member) {
				return false
			}
		}
	}
	return true
}

// match pays for matching text with a pattern: each byte may be tried with each instruction.
func (w *walk) match(pattern, text string) bool {
	return w.pay(w.g.patterns[pattern] * len(text) / 64)
}

// find returns the place that a reference names; nil if there is none, which is the validator's to refuse.
func (g *Cost) find(ref string) any {
	at := g.root
	_, path, _ := strings.Cut(ref, "#/")
	if path == "" {
		return at
	}
	for token := range strings.SplitSeq(path, "/") {
		if decoded, err := url.PathUnescape(token); err == nil {
			token = decoded
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch holder := at.(type) {
		case map[string]any:
			at = holder[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(holder) {
				return nil
			}
			at = holder[n]
		default:
			return nil
		}
	}
	return at
}
