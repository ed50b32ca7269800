package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/state/document"
)

// The roots of references.
const (
	rootAnswers   = "answers"
	rootArguments = "arguments"
	rootEach      = "each"
)

// values are what a script knows in its turn, by root: answers by key, the members of a tool's arguments, the element
// at hand.
type values map[string]map[string]json.RawMessage

// reference is ${answers.KEY}, ${arguments.NAME…}, ${each.item…} or ${each.index}. Another root is a mistake.
var reference = regexp.MustCompile(`\$\{([a-z]+)\.([^{}]*)\}`)

// learn adds an answer. Those of others who hold v stay as they are.
func (v values) learn(key string, answer json.RawMessage) {
	if v[rootAnswers] == nil {
		v[rootAnswers] = map[string]json.RawMessage{}
	}
	v[rootAnswers][key] = answer
}

// at is v for one element of a list. Answers are shared with v.
func (v values) at(index int, item json.RawMessage) values {
	inner := maps.Clone(v)
	inner[rootEach] = map[string]json.RawMessage{"item": item, "index": json.RawMessage(strconv.Itoa(index))}
	return inner
}

// find returns the value of a reference, or nil. An answer's key may have dots; elsewhere each dot leads to a member.
func (v values) find(root, name string) json.RawMessage {
	if found, ok := v[root][name]; ok {
		return found
	}
	first, rest, deeper := strings.Cut(name, ".")
	found := v[root][first]
	if !deeper || found == nil {
		return found
	}
	pointer := ""
	for member := range strings.SplitSeq(rest, ".") {
		pointer += document.Pointer(member)
	}
	doc, err := document.New(json.RawMessage(`{"at":`+string(found)+`}`), document.Options{})
	if err != nil {
		return nil
	}
	inner, _ := doc.Raw("/at" + pointer)
	return inner
}

// text fills the references in s: strings unquoted, null and missing values empty.
func (v values) text(s string) string { return v.replace(s, func(text string) string { return text }) }

// path fills the references in a JSON Pointer. Each is one member; an empty one is an error.
func (v values) path(pointer string) (path string, err error) {
	path = v.replace(pointer, func(text string) string {
		if text == "" {
			err = fmt.Errorf("script: %s: a reference in it stands for nothing", pointer)
		}
		return strings.TrimPrefix(document.Pointer(text), "/")
	})
	return path, err
}

func (v values) replace(s string, as func(string) string) string {
	return reference.ReplaceAllStringFunc(s, func(match string) string {
		m := reference.FindStringSubmatch(match)
		raw := v.find(m[1], m[2])
		var text string
		if len(raw) == 0 || json.Unmarshal(raw, &text) == nil { // null is the empty text
			return as(text)
		}
		return as(string(raw))
	})
}

// fill fills the references in a value as JSON or YAML has it, at any depth. Names of members stay as they are.
func (v values) fill(value any) any {
	switch value := value.(type) {
	case string:
		if m := reference.FindStringSubmatch(value); m != nil && m[0] == value {
			if raw := v.find(m[1], m[2]); len(raw) > 0 {
				return raw
			}
			return nil
		}
		return v.text(value)
	case []any:
		filled := make([]any, len(value))
		for i := range value {
			filled[i] = v.fill(value[i])
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(value))
		for name := range value {
			filled[name] = v.fill(value[name])
		}
		return filled
	default:
		return value
	}
}

// raw is a filled value as JSON; null if it is none.
func (v values) raw(value any) json.RawMessage {
	raw, err := json.Marshal(v.fill(value))
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

type use struct{ root, name string }

func uses(v any) []use {
	var found []use
	switch v := v.(type) {
	case string:
		for _, m := range reference.FindAllStringSubmatch(v, -1) {
			found = append(found, use{m[1], m[2]})
		}
	case []any:
		for _, item := range v {
			found = append(found, uses(item)...)
		}
	case map[string]any:
		for _, item := range v {
			found = append(found, uses(item)...)
		}
	}
	return found
}
