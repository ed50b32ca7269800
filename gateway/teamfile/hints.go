package teamfile

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/nearest"
)

// foreignText has a line for each group of words: place | words | what to write here.
//
//go:embed foreign.txt
var foreignText string

// foreign has the third columns of foreignText, by place and word, and by place and words.
var foreign = func() map[[2]string]string {
	table := map[[2]string]string{}
	for line := range strings.Lines(foreignText) {
		if row := strings.SplitN(strings.TrimSpace(line), " | ", 3); len(row) == 3 {
			for _, word := range append(strings.Fields(row[1]), row[1]) {
				table[[2]string{row[0], word}] = row[2]
			}
		}
	}
	return table
}()

// translate returns what to write in a mapping of a kind for a key of another framework; "" for other keys.
func translate(kind, key string) string {
	place, _, _ := strings.Cut(strings.TrimPrefix(kind, "a "), " ")
	if place == "participant" {
		place = "agent"
	}
	return foreign[[2]string{place, strings.ToLower(key)}]
}

// maxGuesses limits the guesses for one file, because a large file may have many unknown words and many names.
const maxGuesses = 200

// guess returns a hint with the word of known that is probably meant; "" if none is close.
func (r *reader) guess(word string, known []string) string {
	if r.guesses++; r.guesses > maxGuesses {
		return ""
	}
	meant := nearest.Guess(word, known)
	for _, other := range strings.Fields(foreign[[2]string{"value", strings.ToLower(word)}]) {
		if meant == "" && slices.Contains(known, other) {
			meant = other
		}
	}
	if meant == "" {
		return ""
	}
	return " (did you mean " + meant + "?)"
}

// guess is [reader.guess] for the text of v, unless it has a value of the environment.
func (v *Value) guess(known []string) string {
	text, expanded := v.expand()
	if expanded {
		return ""
	}
	return v.r.guess(text, known)
}

// maxNearest limits the keys that a message about an unknown one lists.
const maxNearest = 5

// unknownKey returns the problem with a key that the mapping cannot have.
func (f *Fields) unknownKey(key string) string {
	if translation := translate(f.kind, key); translation != "" {
		return fmt.Sprintf("unknown key %q; %s", key, translation)
	}
	near, more := f.asked, ""
	if n := len(near) - maxNearest; n > 2 { // two more need no more room than their number
		near, more = nearest.First(key, near, maxNearest), fmt.Sprintf(" and %d more", n)
	}
	absent := slices.DeleteFunc(slices.Clone(f.asked), func(name string) bool { return f.v.member(name) != nil })
	return fmt.Sprintf("unknown key %q%s; %s may have %s%s", key, f.v.r.guess(key, absent), f.what,
		strings.Join(near, ", "), more)
}

// long returns v, and for a text the mapping that it is short for: each key has the text as its value.
func (v *Value) long(keys ...string) *Value {
	if !v.isScalar() || v.tag == "!!null" || v.text == "" {
		return v
	}
	m := *v
	m.kind = mappingNode
	for _, name := range keys {
		m.keys = append(m.keys, &Value{r: v.r, kind: scalarNode, text: name, line: v.line, column: v.column})
		m.items = append(m.items, v)
	}
	return &m
}

// longTool returns an entry of tools in its long form. A text is the name of a server, an agent or a tool of the
// program; one that is the name of none or of several is noted.
func (b *builder) longTool(n *Value) *Value {
	if !n.isScalar() {
		return n
	}
	names := map[string][]string{
		"mcp": slices.Collect(maps.Keys(b.servers)), "tool": slices.Collect(maps.Keys(b.o.Tools)),
		"agent": slices.AppendSeq(slices.Collect(maps.Keys(b.entries)), maps.Keys(b.members)),
	}
	var kinds, all []string
	for _, kind := range slices.Sorted(maps.Keys(names)) {
		if all = append(all, names[kind]...); slices.Contains(names[kind], n.Text()) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 1 {
		return n.long(kinds[0])
	}
	slices.Sort(all)
	n.fail("%s is the name of %d servers, agents and tools%s; write { mcp: SERVER }, { agent: NAME }, { tool: NAME }, "+
		"or { name: …, description: …, http: { url: … } }", n.quoted(), len(kinds), n.guess(all))
	return n
}
