package a2ui

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// A partial reads an incomplete JSON object, each byte once, and tracks its complete members, and the complete items of
// the lists in the member data. After a syntax error members stay incomplete.
type partial struct {
	text []byte
	at   int // bytes read
	// units is the length of the text as JavaScript counts it.
	units int

	depth          int
	string, escape bool
	from           int       // of the string that is read, or was last
	key            [2]string // the members that are read at depth 1 and 2
	value          [2]int    // where their values begin; 0 before the colon
	members        map[string]json.RawMessage
	lists          map[string]*partialList // of data
}

type partialList struct {
	from, end, items int  // the end is that of the last complete item
	filled           bool // something follows it
}

func newPartial() *partial {
	return &partial{members: map[string]json.RawMessage{}, lists: map[string]*partialList{}}
}

func (p *partial) add(delta string) {
	p.text = append(p.text, delta...)
	for _, r := range delta {
		p.units++
		if r > 0xFFFF {
			p.units++
		}
	}
	for ; p.at < len(p.text); p.at++ {
		p.next(p.text[p.at])
	}
}

func (p *partial) next(c byte) {
	if p.string {
		switch {
		case p.escape:
			p.escape = false
		case c == '\\':
			p.escape = true
		case c == '"':
			p.string = false
			p.stringEnds()
		}
		return
	}
	switch c {
	case '"':
		p.string, p.from = true, p.at
		p.begins()
	case '{', '[':
		p.begins()
		p.depth++
		if l := p.list(); l != nil && p.depth == 3 && c == '[' && l.from == 0 {
			l.from = p.at
		}
		if p.depth <= 2 {
			p.key[p.depth-1], p.value[p.depth-1] = "", 0
		}
	case '}', ']':
		p.closes()
	case ':':
		if p.depth == 1 || p.depth == 2 {
			p.value[p.depth-1] = p.at + 1
		}
	case ',':
		p.scalarEnds()
		p.memberEnds(p.at)
	case ' ', '\n', '\r', '\t':
	default:
		p.begins()
	}
}

// list returns the list in data at the current position, or nil.
func (p *partial) list() *partialList {
	if p.depth < 3 || p.key[0] != "data" || p.key[1] == "" || p.value[1] == 0 {
		return nil
	}
	l := p.lists[p.key[1]]
	if l == nil {
		l = &partialList{}
		p.lists[p.key[1]] = l
	}
	return l
}

func (p *partial) begins() {
	if p.depth == 3 {
		if l := p.list(); l != nil && l.from != 0 {
			l.filled = true
		}
	}
}

// stringEnds notes a string that is complete: the name of a member, or a value.
func (p *partial) stringEnds() {
	if (p.depth == 1 || p.depth == 2) && p.value[p.depth-1] == 0 {
		var name string
		if json.Unmarshal(p.text[p.from:p.at+1], &name) == nil {
			p.key[p.depth-1] = name
		}
		return
	}
	p.itemEnds(p.at + 1)
	if p.depth == 1 {
		p.memberEnds(p.at + 1)
	}
}

func (p *partial) closes() {
	if p.depth == 0 {
		return // it is no JSON
	}
	p.scalarEnds()
	if p.depth == 1 {
		p.memberEnds(p.at)
	}
	p.depth--
	if p.depth == 2 {
		if l := p.lists[p.key[1]]; p.key[0] == "data" && l != nil {
			l.filled = false
		}
	}
	p.itemEnds(p.at + 1)
	if p.depth == 1 {
		p.memberEnds(p.at + 1)
	}
}

// scalarEnds notes a number or a word that stood before the byte that is read.
func (p *partial) scalarEnds() { p.itemEnds(p.at) }

// itemEnds notes that an item of a list in data is complete up to end.
func (p *partial) itemEnds(end int) {
	if p.depth != 3 {
		return
	}
	if l := p.list(); l != nil && l.from != 0 && l.filled {
		l.items, l.end, l.filled = l.items+1, end, false
	}
}

// memberEnds notes that the value of a member is complete up to end. The first one of a name counts.
func (p *partial) memberEnds(end int) {
	switch {
	case p.depth == 2:
		p.key[1], p.value[1] = "", 0
		return
	case p.depth != 1 || p.key[0] == "" || p.value[0] == 0:
		return
	}
	raw := json.RawMessage(bytes.Trim(p.text[p.value[0]:end], " \t\r\n"))
	if _, there := p.members[p.key[0]]; !there && json.Valid(raw) {
		p.members[p.key[0]] = raw
	}
	p.key[0], p.value[0] = "", 0
}

// countOf is how many items are complete of a list in data.
func (p *partial) countOf(name string) int {
	if l := p.lists[name]; l != nil {
		return l.items
	}
	return 0
}

// itemsOf are the complete items of a list in data that has some, as a list; an empty one if they are no JSON.
func (p *partial) itemsOf(name string) json.RawMessage {
	l := p.lists[name]
	raw := append(append(json.RawMessage{}, p.text[l.from:l.end]...), ']')
	if !json.Valid(raw) || !utf8.Valid(raw) {
		return json.RawMessage("[]")
	}
	return raw
}
