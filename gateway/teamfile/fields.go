package teamfile

import (
	"cmp"
	"slices"

	"github.com/agui-gateway/gateway/internal/nearest"
)

// Fields are the keys of a mapping. A key that is not asked for before End is a mistake.
type Fields struct {
	v      *Value
	what   string // for people: "an agent of type script"
	kind   string // the kind of mapping, without names: "agent script"
	asked  []string
	before int // the number of problems when the mapping was opened
}

// Fields opens a mapping. What names it in messages; kind, which is what if it is empty, is for [Document.Asked]. If v
// is no mapping, that is noted, and there are no keys.
func (v *Value) Fields(what, kind string) *Fields {
	if kind == "" {
		kind = what
	}
	if v == nil {
		return &Fields{v: &Value{broken: true}}
	}
	f := &Fields{v: v, what: what, kind: kind, before: len(v.r.problems)}
	if v.kind != mappingNode {
		form := cmp.Or(foreign[[2]string{"long", kind}], "`key: value` lines, indented")
		v.fail("%s is a mapping; write %s", what, form)
	}
	return f
}

// switched opens the mapping of a key that may also be on or off. For `on` the mapping is empty.
func (v *Value) switched(what, kind string) (f *Fields, on bool) {
	if v.IsMapping() {
		return v.Fields(what, kind), true
	}
	return (*Value)(nil).Fields(what, kind), v.on()
}

// ok reports whether no problem was noted since the mapping was opened.
func (f *Fields) ok() bool { return f.v.r == nil || len(f.v.r.problems) == f.before }

// Any returns the value of a key, which may be null; nil if the key is absent.
func (f *Fields) Any(key string) *Value {
	if !slices.Contains(f.asked, key) {
		f.asked = append(f.asked, key)
	}
	return f.v.member(key)
}

// Take returns the value of a key; nil if the key is absent. A key without a value is a mistake.
func (f *Fields) Take(key string) *Value {
	v := f.Any(key)
	if v != nil && v.kind == scalarNode && v.tag == "!!null" {
		v.fail("%s has no value; write one, or remove the key", key)
		return nil
	}
	return v
}

// Need is Take for a required key. If it is absent, the hint says how to write it.
func (f *Fields) Need(key, hint string) *Value {
	if f.Any(key) == nil {
		f.v.Bad("%s needs %s; %s", f.what, key, hint)
	}
	return f.Take(key)
}

// has reports whether any of keys is there.
func (f *Fields) has(keys ...string) bool { return len(f.keysOf(keys...)) > 0 }

// keysOf returns the keys that are there and have one of these names.
func (f *Fields) keysOf(names ...string) []*Value {
	var there []*Value
	for _, k := range f.v.keys {
		if slices.Contains(names, k.text) {
			there = append(there, k)
		}
	}
	return there
}

// reportMistyped notes keys of other frameworks, and mistyped ones of type and agent, in a mapping without these.
func (f *Fields) reportMistyped() {
	f.Any("type")
	for _, k := range f.v.keys {
		meant := translate(f.kind, k.text) + nearest.Guess(k.text, []string{"type", "agent"})
		if meant != "" && !slices.Contains(f.asked, k.text) {
			k.Bad("%s", f.unknownKey(k.text))
		}
	}
}

// End notes the keys that were not asked for.
func (f *Fields) End() {
	if f.v.r == nil {
		return // of an absent value
	}
	if f.v.r.asked != nil {
		f.v.r.asked(f.kind, f.asked)
	}
	for _, k := range f.v.keys {
		if !slices.Contains(f.asked, k.text) {
			k.Bad("%s", f.unknownKey(k.text))
		}
	}
}
