package teamfile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// This file parses YAML with the library and converts the document to values that know their places. The library's own
// decoding is not used, because its errors quote values, which may be keys.

// A kind is scalarNode, listNode or mappingNode.
type kind = yaml.Kind

const (
	scalarNode  = yaml.ScalarNode
	listNode    = yaml.SequenceNode
	mappingNode = yaml.MappingNode
)

// Bounds of a team file. An alias counts as often as its nodes are repeated, because aliases can make a small file
// huge.
const (
	maxBytes = 1 << 20
	maxNodes = 50_000
	maxDepth = 64
)

// parseYAML parses a file with one document. It notes invalid YAML.
func (r *reader) parseYAML(data []byte) *Value {
	if len(data) > maxBytes {
		r.badAt(1, 1, "the file is larger than 1 MiB; split the team over several gateways")
		return nil
	}
	if line, column, ok := badUTF8(data); ok {
		r.badAt(line, column, "not UTF-8 text; save the file as UTF-8")
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		r.badYAML(err)
		return nil
	}
	if len(doc.Content) != 1 {
		r.badAt(1, 1, "the file is empty; begin with `version: 1`, or let `gateway init` write one")
		return nil
	}
	return r.convert(doc.Content[0], 0)
}

// badYAML notes an error of the library in a text that quotes nothing of the file.
func (r *reader) badYAML(err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		r.badAt(1, 1, "not YAML")
		return
	}
	line, column := max(e.Mark.Line, 1), max(e.Mark.Column, 1)
	switch {
	case e.Stage == yaml.ConstructorStage && strings.Contains(e.Message, "no documents"):
		r.badAt(line, column, "the file is empty; begin with `version: 1`, or let `gateway init` write one")
	case e.Stage == yaml.ConstructorStage:
		r.badAt(line, column, "the file holds several documents; remove all but one, and the lines of `---`")
	case e.Stage == yaml.ComposerStage:
		r.badAt(line, column, "an alias without its anchor; put texts that begin with * in quotes")
	case e.ContextMark.Line > 0 && e.ContextMark.Line < line:
		r.badAt(line, column, "not YAML: %s, in what begins at line %d; look for a missing quote, bracket or "+
			"indentation there, and put texts with `: `, ` #` or `${` in quotes", e.Message, e.ContextMark.Line)
	default:
		r.badAt(line, column, "not YAML: %s; indent with spaces, all keys of a mapping alike, and put texts with `: "+
			"`, ` #` or `${` in quotes", e.Message)
	}
}

// convert converts n to a tree. Aliases become copies of the nodes they refer to.
func (r *reader) convert(n *yaml.Node, depth int) *Value {
	at := &Value{r: r, kind: n.Kind, line: n.Line, column: n.Column}
	if r.nodes > maxNodes {
		return nil // noted already
	}
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		r.nodes = maxNodes + 1
		at.Bad("more than %d values, or nested deeper than %d; use fewer aliases", maxNodes, maxDepth)
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.convert(n.Alias, depth+1)
	case yaml.ScalarNode:
		const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
		at.tag, at.text, at.plain = n.Tag, n.Value, n.Style&quoted == 0
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if c := r.convert(item, depth+1); c != nil {
				c.up, c.name = at, fmt.Sprintf("[%d]", i)
				at.items = append(at.items, c)
			}
		}
	case yaml.MappingNode:
		r.convertMapping(n, at, depth)
	default:
		at.Bad("nothing a team file knows")
		return nil
	}
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") || n.Tag == "!!binary" {
		at.Bad("tags like this one mean nothing here; remove it")
	}
	return at
}

// simpleKey matches keys that a path has without quotes.
var simpleKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (r *reader) convertMapping(n *yaml.Node, at *Value, depth int) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.convert(n.Content[i], depth+1)
		value := r.convert(n.Content[i+1], depth+1)
		if key == nil || value == nil {
			continue
		}
		name := "." + key.text
		if !simpleKey.MatchString(key.text) {
			name = fmt.Sprintf("[%q]", key.text)
		}
		key.up, key.name, value.up, value.name = at, name, at, name
		switch {
		case key.kind != scalarNode:
			key.Bad("a key is a word; put it in quotes if it is one")
		case key.tag == "!!merge":
			key.Bad("merge keys (<<) are not supported; write the keys out")
		case seen[key.text]:
			key.Bad("key %q is there twice; remove one", key.text)
		default:
			seen[key.text] = true
			at.keys, at.items = append(at.keys, key), append(at.items, value)
		}
	}
}

// badUTF8 finds the first place in data that is not UTF-8.
func badUTF8(data []byte) (line, column int, found bool) {
	line, column = 1, 1
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		switch {
		case c == utf8.RuneError && size == 1:
			return line, column, true
		case c == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		data = data[size:]
	}
	return 0, 0, false
}
