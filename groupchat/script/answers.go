package script

import (
	"encoding/json"
	"regexp"
)

// answers are what a script has learnt in its turn, by key.
type answers map[string]json.RawMessage

// reference is ${answers.KEY}.
var reference = regexp.MustCompile(`\$\{answers\.([^{}]*)\}`)

// text fills the references in s.
func (a answers) text(s string) string {
	return reference.ReplaceAllStringFunc(s, func(match string) string {
		raw := a[reference.FindStringSubmatch(match)[1]]
		var text string
		if len(raw) == 0 || json.Unmarshal(raw, &text) == nil { // null is the empty text
			return text
		}
		return string(raw)
	})
}

// fill fills the references in a value as JSON or YAML has it, at any depth. Names of members stay as they are.
func (a answers) fill(v any) any {
	switch v := v.(type) {
	case string:
		if m := reference.FindStringSubmatch(v); m != nil && m[0] == v {
			if raw := a[m[1]]; len(raw) > 0 {
				return raw
			}
			return nil
		}
		return a.text(v)
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = a.fill(v[i])
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name := range v {
			filled[name] = a.fill(v[name])
		}
		return filled
	default:
		return v
	}
}

// references lists the keys that v refers to.
func references(v any) []string {
	var keys []string
	switch v := v.(type) {
	case string:
		for _, m := range reference.FindAllStringSubmatch(v, -1) {
			keys = append(keys, m[1])
		}
	case []any:
		for _, item := range v {
			keys = append(keys, references(item)...)
		}
	case map[string]any:
		for _, item := range v {
			keys = append(keys, references(item)...)
		}
	}
	return keys
}
