package teamfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A reader reads the values of one team file and notes every mistake in them.
type reader struct {
	file                  string
	env                   func(string) (string, bool)
	nodes                 int // number of nodes so far
	problems              []Problem
	warnings              []Problem // of text that is valid and probably not meant so
	optionalModelSettings bool      // variables in modelSettings may be unset
	// asked, if set, is called with the keys that a mapping of some kind may have. Tests compare the schema for editors with them.
	asked func(kind string, keys []string)
}

// fields are the keys of a mapping. A key that is not asked for before end is a mistake.
type fields struct {
	r          *reader
	at         *node
	what       string // "an agent of type script", for people
	kind       string // the kind of mapping, without names: "agent script"
	asked      []string
	notMapping bool // at was no mapping, which is noted
}

// fields returns the keys of n. If n is no mapping, that is noted, and there are no keys.
func (r *reader) fields(n *node, what string) *fields {
	f := &fields{r: r, at: n, what: what, kind: what}
	if n.kind != mappingNode {
		r.bad(n, "%s is a mapping; write `key: value` lines, indented", what)
		f.at = &node{kind: mappingNode, line: n.line, column: n.column}
		f.notMapping = true
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

// take returns the value of key, or nil. A key without a value is a mistake.
func (f *fields) take(key string) *node {
	n := f.raw(key)
	if n != nil && n.kind == scalarNode && n.tag == "!!null" {
		f.r.bad(n, "%s has no value; write one, or remove the key", key)
		return nil
	}
	return n
}

// need is take for a required key. If it is absent, the hint says how to write it.
func (f *fields) need(key, hint string) *node {
	if f.raw(key) == nil {
		if !f.notMapping {
			f.r.bad(f.at, "%s needs %s; %s", f.what, key, hint)
		}
		return nil
	}
	return f.take(key)
}

// has reports whether any of keys is there.
func (f *fields) has(keys ...string) bool {
	return slices.ContainsFunc(f.at.keys, func(k *node) bool { return slices.Contains(keys, k.text) })
}

// keysOf returns the keys that are there and called one of names.
func (f *fields) keysOf(names ...string) []*node {
	var there []*node
	for _, k := range f.at.keys {
		if slices.Contains(names, k.text) {
			there = append(there, k)
		}
	}
	return there
}

// end notes the keys that were not asked for.
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

// text reads a text. It is empty if n is nil.
func (r *reader) text(n *node) string {
	s, _ := r.word(n)
	return s
}

// word reads a text, and reports whether errors may quote it: a text with a value of the environment may not be quoted.
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

// oneOf reads one of words. It returns "" if n is nil, or another word, which is noted.
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

// choices lists words in a sentence.
func choices(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// flag reads on or off. It returns nil if n is nil, or another word, which is noted.
func (r *reader) flag(n *node) *bool {
	s := r.oneOf(n, "on", "off", "true", "false", "yes", "no")
	if s == "" {
		return nil
	}
	on := s == "on" || s == "true" || s == "yes"
	return &on
}

// count reads a whole number that is at least least. It returns 0 if n is nil, or no such number, which is noted.
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

// duration reads a length of time above 0. It returns 0 if n is nil, or no such time, which is noted.
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

// texts reads a list of texts that are not empty. It returns nil if n is nil or no list.
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

// pointers reads a list of JSON Pointers. It returns nil if n is nil.
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

// checkPointer notes s if it is no JSON Pointer (RFC 6901) to a place below the top.
func (r *reader) checkPointer(n *node, s string) {
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	if !strings.HasPrefix(s, "/") || strings.Contains(rest, "~") {
		r.bad(n, "not a JSON Pointer; write /name, or /name/inner, with ~1 for a / and ~0 for a ~ in a name")
	}
}

// json reads any value, as JSON. The members of objects stay in the file's order: a form shows the fields of a schema in the order that its author gave them.
func (r *reader) json(n *node) json.RawMessage {
	raw, err := json.Marshal(r.inOrder(n))
	if err != nil {
		r.bad(n, "not a value that JSON has; write a text, a number, true, false, null, a list or a mapping")
		return nil
	}
	return raw
}

// value reads any value. Numbers keep their spelling if it is valid in JSON.
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
		return json.RawMessage(s) // as if it were written in the file: a number, true, false, null
	case n.tag == "!!null":
		return nil
	case n.tag == "!!bool":
		return strings.EqualFold(s, "true")
	case n.tag == "!!int" || n.tag == "!!float":
		return r.number(n, s)
	}
	return s
}

// number reads a scalar that YAML takes for a number.
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
