package teamfile

import (
	"encoding/json"
	"strings"
)

// A Document is a YAML file that goes with team files, such as a golden conversation. It is read as they are: within
// the same bounds, without merge keys and tags, and with every mistake at its place. Variables of the environment have
// no meaning in it.
type Document struct {
	r    reader
	root *Value
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

// escapeVariable replaces ${ by $${, which means the characters ${.
var escapeVariable = strings.NewReplacer("${", "$${")

// escapeVariables escapes ${ in all texts below v.
func escapeVariables(v *Value) {
	if v.kind == scalarNode {
		v.text = escapeVariable.Replace(v.text)
	}
	for _, item := range v.items {
		escapeVariables(item)
	}
}

// Root returns the value of the whole document: nil if that cannot be read.
func (d *Document) Root() *Value { return d.root }

// Err returns every mistake that was noted so far, as an [*Error]; nil if there is none.
func (d *Document) Err() error { return d.r.err() }

// Asked makes [Fields.End] call f with the keys that a mapping of some kind may have. Tests compare schemas with them.
func (d *Document) Asked(f func(kind string, keys []string)) { d.r.asked = f }

// An object is a JSON object with ordered members.
type object []jsonMember

type jsonMember struct {
	name  string
	value any
}

// ordered returns the value with objects whose members are in the file's order.
func (v *Value) ordered() any {
	switch {
	case v.IsList():
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = item.ordered()
		}
		return list
	case v.IsMapping():
		o := make(object, len(v.items))
		for i, key := range v.keys {
			o[i] = jsonMember{key.text, v.items[i].ordered()}
		}
		return o
	default:
		return v.value()
	}
}

// MarshalJSON writes the object.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
