package teamfile

import "strings"

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
