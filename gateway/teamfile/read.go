package teamfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A reader reads the values of one team file and notes everything that is wrong with them.
type reader struct {
	file     string
	env      func(string) (string, bool)
	nodes    int // converted so far
	problems []Problem
	warnings []Problem // of what is allowed and hardly meant
	lenient  bool      // the settings of the model may be unset: see reader.variable
	// asked, if set, is told which keys a mapping of some kind may have. Tests hold the schema for editors against it.
	asked func(kind string, keys []string)
}

// fields are the keys of a mapping. A key that nobody asked for is a mistake.
type fields struct {
	r     *reader
	at    *node
	what  string // "an agent of type script", for people
	kind  string // the same for all of its kind: "agent script"
	asked []string
	void  bool // it is no mapping, which is noted
}

// fields returns the keys of n. If n is no mapping that is noted, and it is as if it had none.
func (r *reader) fields(n *node, what string) *fields {
	f := &fields{r: r, at: n, what: what, kind: what}
	if n.kind != mappingNode {
		r.bad(n, "%s is a mapping; write `key: value` lines, indented", what)
		f.at = &node{kind: mappingNode, line: n.line, column: n.column}
		f.void = true
	}
	return f
}

// raw returns the value of key, or nil.
func (f *fields) raw(key string) *node {
	if !slices.Contains(f.asked, key) {
		f.asked = append(f.asked, key)
	}
	for i, k := range f.at.keys {
		if k.text == key {
			return f.at.items[i]
		}
	}
	return nil
}

// take returns the value of key, or nil. A key with nothing behind it is a mistake.
func (f *fields) take(key string) *node {
	n := f.raw(key)
	if n != nil && n.kind == scalarNode && n.tag == "!!null" {
		f.r.bad(n, "%s has no value; write one, or remove the key", key)
		return nil
	}
	return n
}

// need is take for a key that has to be there.
func (f *fields) need(key, mend string) *node {
	if f.raw(key) == nil {
		if !f.void {
			f.r.bad(f.at, "%s needs %s; %s", f.what, key, mend)
		}
		return nil
	}
	return f.take(key)
}

// has reports whether any of keys is there.
func (f *fields) has(keys ...string) bool {
	return slices.ContainsFunc(f.at.keys, func(k *node) bool { return slices.Contains(keys, k.text) })
}

// keysOf are the keys that are there of those called names.
func (f *fields) keysOf(names ...string) []*node {
	var there []*node
	for _, k := range f.at.keys {
		if slices.Contains(names, k.text) {
			there = append(there, k)
		}
	}
	return there
}

// end notes the keys that nobody asked for.
func (f *fields) end() {
	if f.r.asked != nil {
		f.r.asked(f.kind, f.asked)
	}
	for _, k := range f.at.keys {
		if !slices.Contains(f.asked, k.text) {
			f.r.bad(k, "unknown key %q; %s may have %s", k.text, f.what, strings.Join(f.asked, ", "))
		}
	}
}

// text reads a text; nil is none.
func (r *reader) text(n *node) string {
	s, _ := r.word(n)
	return s
}

// word reads a text and whether it may be quoted in an error: not if any of it came from the environment.
func (r *reader) word(n *node) (s string, quotable bool) {
	switch {
	case n == nil:
		return "", true
	case n.kind != scalarNode:
		r.bad(n, "a text belongs here, not a list or a mapping; put it in quotes")
		return "", true
	}
	s, expanded := r.expand(n)
	return s, !expanded
}

// oneOf reads one of the words, or "" if n is nil or another, which is noted.
func (r *reader) oneOf(n *node, words ...string) string {
	if n == nil {
		return ""
	}
	before := len(r.problems)
	s, quotable := r.word(n)
	switch {
	case len(r.problems) > before:
	case slices.Contains(words, s):
		return s
	case quotable:
		r.bad(n, "%q is none of the choices; write %s", s, choices(words))
	default:
		r.bad(n, "the value from the environment is none of the choices; it may be %s", choices(words))
	}
	return ""
}

// choices are words as people list them.
func choices(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// flag reads on or off; nil if n is.
func (r *reader) flag(n *node) *bool {
	s := r.oneOf(n, "on", "off", "true", "false", "yes", "no")
	if s == "" {
		return nil
	}
	on := s == "on" || s == "true" || s == "yes"
	return &on
}

// count reads a whole number from least up; 0 if n is nil or none.
func (r *reader) count(n *node, least int) int {
	if n == nil {
		return 0
	}
	before := len(r.problems)
	s := r.text(n)
	if len(r.problems) > before {
		return 0
	}
	i, err := strconv.Atoi(s)
	if err != nil || i < least {
		r.bad(n, "not a whole number from %d up; write one, such as 8", least)
		return 0
	}
	return i
}

// duration reads a length of time above 0; 0 if n is nil or none.
func (r *reader) duration(n *node) time.Duration {
	if n == nil {
		return 0
	}
	before := len(r.problems)
	s := r.text(n)
	if len(r.problems) > before {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		r.bad(n, "not a length of time; write a number above 0 with its unit, such as 500ms, 30s, 10m or 24h")
		return 0
	}
	return d
}

// list returns the items of n.
func (r *reader) list(n *node, what string) []*node {
	if n == nil {
		return nil
	}
	if n.kind != listNode {
		r.bad(n, "%s is a list; write `- item` lines, or [ item, item ]", what)
		return nil
	}
	return n.items
}

// texts reads a list of texts that are not empty; nil if n is nil or none.
func (r *reader) texts(n *node, what string) []string {
	var texts []string
	for _, item := range r.list(n, what) {
		before := len(r.problems)
		s := r.text(item)
		if s == "" && len(r.problems) == before {
			r.bad(item, "an empty text means nothing here; write one, or remove it")
		}
		texts = append(texts, s)
	}
	return texts
}

// pointers reads a list of JSON Pointers; nil if n is nil.
func (r *reader) pointers(n *node, what string) []string {
	if n == nil {
		return nil
	}
	list := []string{}
	for _, item := range r.list(n, what) {
		list = append(list, r.pointer(item))
	}
	return list
}

// pairs returns the keys and values of n.
func (r *reader) pairs(n *node, what string) (keys, values []*node) {
	if n == nil {
		return nil, nil
	}
	f := r.fields(n, what)
	return f.at.keys, f.at.items
}

// pointer reads a JSON Pointer with at least one name.
func (r *reader) pointer(n *node) string {
	if n == nil {
		return ""
	}
	before := len(r.problems)
	s := r.text(n)
	if len(r.problems) == before {
		r.checkPointer(n, s)
	}
	return s
}

// checkPointer wants s to be a JSON Pointer (RFC 6901) that leads somewhere below the top.
func (r *reader) checkPointer(n *node, s string) {
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	if !strings.HasPrefix(s, "/") || strings.Contains(rest, "~") {
		r.bad(n, "not a JSON Pointer; write /name, or /name/inner, with ~1 for a / and ~0 for a ~ in a name")
	}
}

// json reads any value, as JSON.
func (r *reader) json(n *node) json.RawMessage {
	raw, err := json.Marshal(r.value(n))
	if err != nil {
		r.bad(n, "not a value that JSON has; write a text, a number, true, false, null, a list or a mapping")
		return nil
	}
	return raw
}

// value reads any value. Numbers stay as they are written, where JSON can write them so.
func (r *reader) value(n *node) any {
	switch {
	case n == nil:
		return nil
	case n.kind == listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = r.value(item)
		}
		return list
	case n.kind == mappingNode:
		object := make(map[string]any, len(n.items))
		for i, key := range n.keys {
			object[key.text] = r.value(n.items[i])
		}
		return object
	}
	s, expanded := r.expand(n)
	switch {
	case expanded && n.plain && json.Valid([]byte(s)):
		return json.RawMessage(s) // as if it stood in the file: a number, true, false, null
	case n.tag == "!!null":
		return nil
	case n.tag == "!!bool":
		return strings.EqualFold(s, "true")
	case n.tag == "!!int" || n.tag == "!!float":
		return r.number(n, s)
	}
	return s
}

// number reads what YAML takes for a number.
func (r *reader) number(n *node, s string) any {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	if i, err := strconv.ParseInt(s, 0, 64); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(strings.TrimPrefix(s, "+"), 64)
	if err != nil {
		r.bad(n, "not a number that JSON has; write it in decimal, or put it in quotes to make it a text")
		return nil
	}
	return f
}
