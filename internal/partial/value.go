package partial

import (
	"encoding/json"
	"errors"
	"slices"
)

// MaxDepth is how deep a text may nest.
const MaxDepth = 128

// The errors of texts that are not read on.
var (
	ErrSyntax = errors.New("partial: not JSON")
	ErrDepth  = errors.New("partial: nested too deeply")
)

// An Object is a JSON object that is being written, of which some members are kept. It is for one goroutine.
type Object struct {
	state  state
	stack  []byte // what closes the objects and lists that are open
	err    error
	scalar []byte // the number or name that is being read
	key    []byte // the key that is being read, with its quotes
	text   text   // the string that is being read

	whole   *Value // the object itself, if it is kept
	members map[string]*Value
	now     *Value // the kept value that is being read
}

// NewObject returns an object of which the members are kept. Of several members of a name the first complete one
// counts.
func NewObject(members ...string) *Object {
	o := &Object{members: map[string]*Value{}}
	for _, name := range members {
		o.members[name] = &Value{o: o}
	}
	return o
}

// Member returns a member that is kept.
func (o *Object) Member(name string) *Value { return o.members[name] }

// A Value is a member of an [Object], or the object itself.
type Value struct {
	o    *Object
	last bool // of several members of the name the last one counts
	raw  []byte
	at   int // how deep it is in
	// safe is how many bytes of raw can be closed to JSON, in a string if inString is set; 0 for none.
	safe     int
	inString bool
	lists    map[string]*list // the lists that are its members, by name
	list     *list            // the one of them that is being read
}

// A list is one in a value.
type list struct{ from, end, items int } // the end is that of the last complete item

// New returns the value of a member of an object; an empty name is the object itself. Of several members of the name
// the last one counts.
func New(member string) *Value {
	v := &Value{o: NewObject(), last: true}
	if member == "" {
		v.o.whole = v
	} else {
		v.o.members[member] = v
	}
	return v
}

type state int

const (
	wantObject state = iota // nothing was read yet
	wantValue
	wantItem  // a value, or the end of a list that is empty so far
	wantFirst // a key, or the end of an object that is empty so far
	wantKey
	inKey
	wantColon
	inText
	inScalar
	wantMore // a comma, or the end of the open value
	ended
)

// Write reads more of the object. An error sticks, and the part before it stays known.
func (o *Object) Write(s string) error {
	for i := 0; i < len(s) && o.err == nil; i++ {
		o.err = o.next(s[i])
	}
	return o.err
}

// Write reads more of the value's object.
func (v *Value) Write(s string) error { return v.o.Write(s) }

// Len returns how many bytes of the value were read.
func (v *Value) Len() int { return len(v.raw) }

// Ended reports whether the value is complete. If the last member of a name counts, another one begins it again.
func (v *Value) Ended() bool { return v.safe > 0 && v.o.now != v }

// JSON returns the known part of the value, closed to valid JSON, and whether there is any.
func (v *Value) JSON() (json.RawMessage, bool) {
	if v.safe == 0 {
		return nil, false
	}
	raw := slices.Clone(v.raw[:v.safe])
	if v.Ended() {
		return raw, true
	}
	if v.inString {
		raw = append(raw, '"')
	}
	for _, closer := range slices.Backward(v.o.stack[v.at:]) {
		raw = append(raw, closer)
	}
	return raw, true
}

// Whole returns the value if it is complete, or nil.
func (v *Value) Whole() json.RawMessage {
	if !v.Ended() {
		return nil
	}
	return v.raw
}

// Items returns how many items are complete of a list that is a member of the value.
func (v *Value) Items(name string) int {
	if l := v.lists[name]; l != nil {
		return l.items
	}
	return 0
}

// List returns the complete items of a list that is a member of the value and has some.
func (v *Value) List(name string) json.RawMessage {
	l := v.lists[name]
	return append(slices.Clone(v.raw[l.from:l.end]), ']')
}

func (o *Object) next(c byte) error {
	switch {
	case o.state == inText || o.state == inKey:
		return o.inQuotes(c)
	case o.state == inScalar && !delimits(c):
		o.scalar = append(o.scalar, c)
		o.keep(c)
		return nil
	case o.state == inScalar && !json.Valid(o.scalar):
		return ErrSyntax
	case o.state == inScalar:
		o.complete()
	}
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		if o.now != nil && len(o.now.raw) > 0 {
			o.keep(c)
		}
		return nil
	}
	switch o.state {
	case wantObject:
		if c != '{' {
			return ErrSyntax
		}
		o.begin(o.whole)
		return o.open('}', wantFirst)
	case wantValue, wantItem:
		return o.value(c)
	case wantFirst, wantKey:
		if c == '}' && o.state == wantFirst {
			return o.close(c)
		}
		if c != '"' {
			return ErrSyntax
		}
		o.keep(c)
		o.state, o.text, o.key = inKey, text{}, append(o.key[:0], c)
		return nil
	case wantColon:
		if c != ':' {
			return ErrSyntax
		}
		o.keep(c)
		o.state = wantValue
		if len(o.stack) == 1 && o.whole == nil {
			o.begin(o.members[o.name()])
		}
		return nil
	case wantMore:
		return o.more(c)
	default:
		return ErrSyntax
	}
}

// name returns the key that was read last.
func (o *Object) name() (name string) {
	_ = json.Unmarshal(o.key, &name) // its text was checked
	return name
}

// begin notes that the value v begins with the next byte, if it is kept.
func (o *Object) begin(v *Value) {
	if v != nil && (v.last || v.safe == 0) {
		v.raw, v.safe, v.inString, v.at = v.raw[:0], 0, false, len(o.stack)
		o.now = v
	}
}

func (o *Object) value(c byte) error {
	switch {
	case c == ']' && o.state == wantItem:
		return o.close(c)
	case c == '{':
		return o.open('}', wantFirst)
	case c == '[':
		o.beginList()
		return o.open(']', wantItem)
	case c == '"':
		o.keep(c)
		o.state, o.text = inText, text{}
		o.safely(true)
	case delimits(c) || c == ':':
		return ErrSyntax
	default:
		o.keep(c)
		o.state, o.scalar = inScalar, append(o.scalar[:0], c)
	}
	return nil
}

func (o *Object) more(c byte) error {
	if c != ',' {
		return o.close(c)
	}
	o.keep(c)
	if o.state = wantValue; o.stack[len(o.stack)-1] == '}' {
		o.state = wantKey
	}
	return nil
}

func (o *Object) open(closer byte, next state) error {
	if len(o.stack) == MaxDepth {
		return ErrDepth
	}
	o.keep(closer - 2) // in ASCII the opening one is two before
	o.stack = append(o.stack, closer)
	o.state = next
	o.safely(false)
	return nil
}

func (o *Object) close(c byte) error {
	if c != o.stack[len(o.stack)-1] {
		return ErrSyntax
	}
	o.keep(c)
	o.stack = o.stack[:len(o.stack)-1]
	o.complete()
	return nil
}

// beginList notes that a list begins with the next byte, if it is a member of a kept member.
func (o *Object) beginList() {
	if o.now == nil || o.now.last || len(o.stack) != 2 || o.stack[1] != '}' {
		return
	}
	name := o.name()
	if o.now.lists[name] == nil {
		if o.now.lists == nil {
			o.now.lists = map[string]*list{}
		}
		o.now.lists[name] = &list{from: len(o.now.raw)}
		o.now.list = o.now.lists[name]
	}
}

// complete notes that a value inside, or the value itself, is complete.
func (o *Object) complete() {
	o.safely(false)
	if v := o.now; v != nil {
		switch {
		case len(o.stack) == v.at:
			o.now = nil
		case len(o.stack) == 2:
			v.list = nil
		case len(o.stack) == 3 && v.list != nil:
			v.list.items, v.list.end = v.list.items+1, len(v.raw)
		}
	}
	if o.state = wantMore; len(o.stack) == 0 {
		o.state = ended
	}
}

// safely notes that the part read so far can be closed.
func (o *Object) safely(inString bool) {
	if v := o.now; v != nil {
		v.safe, v.inString = len(v.raw), inString
	}
}

func (o *Object) keep(c byte) {
	if v := o.now; v != nil {
		v.raw = append(v.raw, c)
	}
}

func (o *Object) inQuotes(c byte) error {
	whole, closed, err := o.text.next(c)
	if err != nil {
		return err
	}
	o.keep(c)
	if o.state == inKey {
		if len(o.stack) <= 2 {
			o.key = append(o.key, c)
		}
		if closed {
			o.state = wantColon
		}
		return nil
	}
	switch {
	case closed:
		o.complete()
	case whole:
		o.safely(true)
	}
	return nil
}

// delimits reports whether c ends a number or a name.
func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ']', '}':
		return true
	}
	return false
}
