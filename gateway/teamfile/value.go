package teamfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Value is one value of a YAML file: a scalar, a list or a mapping, with its place. Its methods read it, and note a
// problem at its place if it has another form. A nil Value is absent: reading it returns the zero value and notes no
// problem.
type Value struct {
	r            *reader
	kind         kind
	tag          string // of a scalar: its type in YAML, such as "!!str"
	text         string // of a scalar: without quotes, and with escapes replaced
	plain        bool   // a scalar without quotes
	keys, items  []*Value
	line, column int
	up           *Value // the list or mapping around it; nil for the whole file
	name         string // its place in up, such as .key or [0]
	broken       bool   // it could not be read, which is noted: further problems at this place say nothing new
}

// IsMapping reports whether v is a mapping.
func (v *Value) IsMapping() bool { return v != nil && v.kind == mappingNode }

// IsList reports whether v is a list.
func (v *Value) IsList() bool { return v != nil && v.kind == listNode }

// isScalar reports whether v is neither a list nor a mapping.
func (v *Value) isScalar() bool { return v != nil && v.kind == scalarNode }

// Place returns where v begins, from 1; columns count characters. It is 0, 0 for an absent value.
func (v *Value) Place() (line, column int) {
	if v == nil {
		return 0, 0
	}
	return v.line, v.column
}

// Bad notes a problem at v, unless v is absent or could not be read.
func (v *Value) Bad(format string, args ...any) {
	if v != nil && !v.broken {
		v.r.problems = append(v.r.problems, v.problem(format, args...))
	}
}

// fail notes that v cannot be read. Later problems at v are dropped.
func (v *Value) fail(format string, args ...any) {
	v.Bad(format, args...)
	v.broken = true
}

// warn adds a warning at v: a valid part of the file that is probably a mistake.
func (v *Value) warn(format string, args ...any) {
	v.r.warnings = append(v.r.warnings, v.problem(format, args...))
}

func (v *Value) problem(format string, args ...any) Problem {
	return Problem{File: v.r.file, Line: v.line, Column: v.column, Path: v.path(), Text: fmt.Sprintf(format, args...)}
}

// maxPath limits the path of a problem, in bytes. Of a longer one the end is kept.
const maxPath = 200

// path returns the keys and indexes that lead to v.
func (v *Value) path() (path string) {
	for ; v.up != nil && len(path) <= maxPath; v = v.up {
		path = v.name + path
	}
	if len(path) > maxPath {
		return "…" + strings.ToValidUTF8(path[len(path)-maxPath:], "")
	}
	return strings.TrimPrefix(path, ".")
}

// member returns the value of a key of a mapping without reading it; nil if there is none.
func (v *Value) member(key string) *Value {
	if v == nil {
		return nil
	}
	for i, k := range v.keys {
		if k.text == key {
			return v.items[i]
		}
	}
	return nil
}

// Text reads a scalar as it is written, with its variables replaced.
func (v *Value) Text() string {
	switch {
	case v == nil:
		return ""
	case v.kind != scalarNode:
		v.fail("a text belongs here, not a list or a mapping; put it in quotes")
		return ""
	}
	before := len(v.r.problems)
	s, _ := v.expand()
	v.broken = v.broken || len(v.r.problems) > before
	return s
}

// quoted returns a text in quotes for a message. A text with a value of the environment may be secret: it is not
// quoted.
func (v *Value) quoted() string {
	s, expanded := v.expand()
	if expanded {
		return "the value from the environment"
	}
	return fmt.Sprintf("%q", s)
}

// OneOf reads one of words. It returns "" for another word, which is noted.
func (v *Value) OneOf(words ...string) string {
	s := v.Text()
	if v == nil || slices.Contains(words, s) && !v.broken {
		return s
	}
	v.Bad("%s is none of the choices%s; write %s", v.quoted(), v.guess(words), choices(words))
	return ""
}

// oneOf is OneOf for words of a type.
func oneOf[T ~string](v *Value, words ...T) T { return T(v.OneOf(texts(words)...)) }

// orDefault reads the word of the default, for which it returns the zero value, or one of words.
func orDefault[T ~string](v *Value, standard string, words ...T) T {
	if s := v.OneOf(append([]string{standard}, texts(words)...)...); s != standard {
		return T(s)
	}
	return ""
}

// texts converts words of a type to strings.
func texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return list
}

// choices lists words in a sentence.
func choices(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// flag reads on or off. It returns nil for an absent value, and for another word, which is noted.
func (v *Value) flag() *bool {
	s := v.OneOf("on", "off", "true", "false", "yes", "no")
	if s == "" {
		return nil
	}
	on := s == "on" || s == "true" || s == "yes"
	return &on
}

// on reads on or off. An absent value is off.
func (v *Value) on() bool {
	on := v.flag()
	return on != nil && *on
}

// off reports whether v is there and off.
func (v *Value) off() bool {
	on := v.flag()
	return on != nil && !*on
}

// parsed reads a scalar with a function. After a mistake, which is noted with the hint, it returns the zero value.
func parsed[T any](v *Value, hint string, parse func(string) (T, bool)) (value T) {
	s := v.Text()
	if v == nil || v.broken {
		return value
	}
	got, ok := parse(s)
	if !ok {
		v.fail("%s", hint)
		return value
	}
	return got
}

// Count reads a whole number that is at least least. After a mistake it returns 0.
func (v *Value) Count(least int) int {
	hint := fmt.Sprintf("not a whole number from %d up; write one, such as 8", least)
	return parsed(v, hint, func(s string) (int, bool) {
		i, err := strconv.Atoi(s)
		return i, err == nil && i >= least
	})
}

// number reads a number for which allowed holds; nil if v is absent or has a mistake.
func (v *Value) number(hint string, allowed func(float64) bool) *float64 {
	return parsed(v, hint, func(s string) (*float64, bool) {
		f, err := strconv.ParseFloat(s, 64)
		return &f, err == nil && allowed(f)
	})
}

// duration reads a length of time above 0. After a mistake it returns 0.
func (v *Value) duration() time.Duration {
	const hint = "not a length of time; write a number above 0 with its unit, such as 500ms, 30s, 10m or 24h"
	return parsed(v, hint, func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && d > 0
	})
}

// pointer reads a JSON Pointer with at least one name.
func (v *Value) pointer() string {
	s := v.Text()
	if v != nil {
		v.checkPointer(s)
	}
	return s
}

// checkPointer notes s if it is no JSON Pointer (RFC 6901) to a place below the top.
func (v *Value) checkPointer(s string) {
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	if !strings.HasPrefix(s, "/") || strings.Contains(rest, "~") {
		v.Bad("not a JSON Pointer; write /name, or /name/inner, with ~1 for a / and ~0 for a ~ in a name")
	}
}

// List returns the items of a list.
func (v *Value) List(what string) []*Value {
	if v != nil && v.kind != listNode {
		v.fail("%s is a list; write `- item` lines, or [ item, item ]", what)
	}
	if v == nil || v.broken {
		return nil
	}
	return v.items
}

// itemsOf returns the items of a list that has at least one. The hint is for an empty list.
func (v *Value) itemsOf(what, hint string) []*Value {
	items := v.List(what)
	if len(items) == 0 {
		v.Bad("%s", hint)
	}
	return items
}

// texts reads a list of texts that are not empty. It returns nil if v is absent or no list.
func (v *Value) texts(what string) []string {
	var texts []string
	for _, item := range v.List(what) {
		s := item.Text()
		if s == "" {
			item.Bad("an empty text means nothing here; write one, or remove it")
		}
		texts = append(texts, s)
	}
	return texts
}

// pointers reads a list of JSON Pointers. It returns nil only for an absent value.
func (v *Value) pointers(what string) []string {
	if v == nil {
		return nil
	}
	list := []string{}
	for _, item := range v.List(what) {
		list = append(list, item.pointer())
	}
	return list
}

// Pairs returns the keys and the values of a mapping.
func (v *Value) Pairs(what string) (keys, values []*Value) {
	if v != nil && v.kind != mappingNode {
		v.fail("%s is a mapping; write `key: value` lines, indented", what)
	}
	if v == nil || v.kind != mappingNode {
		return nil, nil
	}
	return v.keys, v.items
}
