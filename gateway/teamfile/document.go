package teamfile

import (
	"encoding/json"
	"strings"
)

// escapeVariable makes ${ mean itself.
var escapeVariable = strings.NewReplacer("${", "$${")

// A Document is a YAML file that goes with team files, such as a golden conversation. It is read as they are: within the same bounds,
// without merge keys and tags, and with every mistake at its place. Variables of the environment mean nothing in it.
type Document struct {
	r    reader
	root *node
}

// ReadDocument reads the document that data holds. Its mistakes are in [Document.Err].
func ReadDocument(file string, data []byte) *Document {
	d := &Document{r: reader{file: file, env: func(string) (string, bool) { return "", false }}}
	if root := d.r.parseYAML(data); root != nil && d.r.nodes <= maxNodes {
		escapeVariables(root)
		d.root = root
	}
	return d
}

// escapeVariables makes ${ in texts mean itself.
func escapeVariables(n *node) {
	if n.kind == scalarNode {
		n.text = escapeVariable.Replace(n.text)
	}
	for _, item := range n.items {
		escapeVariables(item)
	}
}

// Root is what the document holds: the zero Value if that cannot be read.
func (d *Document) Root() Value { return Value{d, d.root} }

// Err has every mistake that was noted so far, as an [*Error]; nil if there is none.
func (d *Document) Err() error { return d.r.err() }

// Asked makes f be told, at each [Fields.End], which keys a mapping of some kind may have. Tests compare schemas with them.
func (d *Document) Asked(f func(kind string, keys []string)) { d.r.asked = f }

// A Value is one value of a [Document]. The zero Value is one that is not there: reading it returns nothing and notes no mistake.
type Value struct {
	d *Document
	n *node
}

// There reports whether there is a value.
func (v Value) There() bool { return v.n != nil }

// IsMapping reports whether v is a mapping.
func (v Value) IsMapping() bool { return v.n != nil && v.n.kind == mappingNode }

// IsList reports whether v is a list.
func (v Value) IsList() bool { return v.n != nil && v.n.kind == listNode }

// Place is where the value begins, from 1; columns count characters. It is 0, 0 for a value that is not there.
func (v Value) Place() (line, column int) {
	if v.n == nil {
		return 0, 0
	}
	return v.n.line, v.n.column
}

// Bad notes a mistake at the value.
func (v Value) Bad(format string, args ...any) {
	if v.n != nil {
		v.d.r.bad(v.n, format, args...)
	}
}

// Text reads a text, or any other scalar as it is written.
func (v Value) Text() string {
	if v.n == nil {
		return ""
	}
	return v.d.r.text(v.n)
}

// OneOf reads one of words; "" for another one, which is noted.
func (v Value) OneOf(words ...string) string {
	if v.n == nil {
		return ""
	}
	return v.d.r.oneOf(v.n, words...)
}

// Count reads a whole number that is at least least.
func (v Value) Count(least int) int {
	if v.n == nil {
		return 0
	}
	return v.d.r.count(v.n, least)
}

// JSON reads any value, as JSON; nil if it is not there.
func (v Value) JSON() json.RawMessage {
	if v.n == nil {
		return nil
	}
	return v.d.r.json(v.n)
}

// List returns the items of a list.
func (v Value) List(what string) []Value {
	if v.n == nil {
		return nil
	}
	return v.d.values(v.d.r.list(v.n, what))
}

// Pairs returns the keys and the values of a mapping whose keys are names.
func (v Value) Pairs(what string) (keys, values []Value) {
	if v.n == nil {
		return nil, nil
	}
	k, i := v.d.r.pairs(v.n, what)
	return v.d.values(k), v.d.values(i)
}

// Fields returns the keys of a mapping; kind is what [Document.Asked] calls it.
func (v Value) Fields(what, kind string) *Fields {
	if v.n == nil {
		return &Fields{v.d, nil}
	}
	f := v.d.r.fields(v.n, what)
	f.kind = kind
	return &Fields{v.d, f}
}

func (d *Document) values(nodes []*node) []Value {
	list := make([]Value, len(nodes))
	for i, n := range nodes {
		list[i] = Value{d, n}
	}
	return list
}

// Fields are the keys of a mapping. One that is neither taken nor needed before End is a mistake.
type Fields struct {
	d *Document
	f *fields
}

// Take returns the value of a key. A key without a value is a mistake.
func (f *Fields) Take(key string) Value {
	if f.f == nil {
		return Value{}
	}
	return Value{f.d, f.f.take(key)}
}

// Any is Take for keys whose value may be null.
func (f *Fields) Any(key string) Value {
	if f.f == nil {
		return Value{}
	}
	return Value{f.d, f.f.raw(key)}
}

// Need is Take for a key that has to be there; hint says how to write it.
func (f *Fields) Need(key, hint string) Value {
	if f.f == nil {
		return Value{}
	}
	return Value{f.d, f.f.need(key, hint)}
}

// End notes the keys that were not asked for.
func (f *Fields) End() {
	if f.f != nil {
		f.f.end()
	}
}
