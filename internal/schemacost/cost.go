package schemacost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp/syntax"
	"strconv"
	"strings"
)

// The limits of a schema and of what a value may cost.
const (
	MaxBytes   = 64 << 10 // of a schema
	MaxDepth   = 128      // of the JSON of a schema
	MaxValues  = 20_000   // JSON values in a schema
	MaxPattern = 5_000    // instructions of a pattern's machine
	MaxNumber  = 400      // characters of a number, and the size of its exponent: beyond it, it is no float64
	MaxSteps   = 1 << 18  // of holding a value against a schema
)

// ErrCost is in the errors of schemas and values that cost too much, and of schemas with an unknown cost. The texts
// quote nothing.
var ErrCost = errors.New("schemacost: the schema costs too much")

func tooMuch(problem string) error { return fmt.Errorf("%w: %s", ErrCost, problem) }

// A Cost knows what a schema costs. It is safe for concurrent use.
type Cost struct {
	root     any
	patterns map[string]int // instructions by pattern
	places   map[string]any // by reference
}

// New returns the cost of a schema, or an error that wraps [ErrCost] if no value may be held against it. It does not
// look at whether the schema is a valid one.
func New(schema json.RawMessage) (*Cost, error) {
	if len(schema) > MaxBytes {
		return nil, tooMuch("it has more than " + strconv.Itoa(MaxBytes) + " bytes")
	}
	root, err := decode(schema)
	if err != nil {
		return nil, err
	}
	g := &Cost{root: root, patterns: map[string]int{}, places: map[string]any{}}
	r := reading{g: g}
	if err := r.read(root, 0, true); err != nil {
		return nil, err
	}
	if r.refers && r.moves {
		return nil, tooMuch("a part of it has an $id, and it has references, which may mean another document then")
	}
	return g, nil
}

// decode reads one JSON value, with numbers as they are written.
func decode(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("schemacost: not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("schemacost: more than one JSON value")
	}
	return v, nil
}

// A reading of a schema looks at all of its values, also those that are no schemas.
type reading struct {
	g      *Cost
	values int
	refers bool // there is a reference
	moves  bool // a part has an $id
}

func (r *reading) read(v any, depth int, root bool) error {
	if r.values++; r.values > MaxValues {
		return tooMuch("it has more than " + strconv.Itoa(MaxValues) + " values")
	}
	if depth > MaxDepth {
		return tooMuch("it is nested too deep")
	}
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for _, item := range v {
			if err := r.read(item, depth+1, false); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, member := range v {
			if err := r.keyword(name, member, root); err != nil {
				return err
			}
			if err := r.read(member, depth+1, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyword looks at a member of an object, which may be a schema.
func (r *reading) keyword(name string, member any, root bool) error {
	text, isText := member.(string)
	switch name {
	case "$ref":
		if !isText {
			return nil // a property of this name
		}
		r.refers = true
		if text != "#" && !strings.HasPrefix(text, "#/") {
			return tooMuch("it refers to something else than a place in itself")
		}
		r.g.places[text] = r.g.find(text)
	case "$dynamicRef", "$recursiveRef":
		if isText {
			return tooMuch("it refers to something that depends on the way there")
		}
	case "$id":
		r.moves = r.moves || isText && !root
	case "id": // what $id was called first, and an ordinary member since
		r.moves = r.moves || isText && !root && r.g.oldest()
	case "pattern":
		if isText {
			return r.g.pattern(text)
		}
	case "patternProperties":
		if patterns, ok := member.(map[string]any); ok {
			for p := range patterns {
				if err := r.g.pattern(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// oldest reports whether the schema is of the first draft that validators know.
func (g *Cost) oldest() bool {
	root, _ := g.root.(map[string]any)
	dialect, _ := root["$schema"].(string)
	return strings.Contains(dialect, "draft-04")
}

// pattern notes how large the machine of a pattern is. One that cannot be read is left to the validator.
func (g *Cost) pattern(text string) error {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	machine, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	if len(machine.Inst) > MaxPattern {
		return tooMuch("a pattern is too large")
	}
	g.patterns[text] = len(machine.Inst)
	return nil
}

// number refuses what validators compute with exactly, which takes as long as its exponent is large.
func number(n json.Number) error {
	text := string(n)
	_, exponent, has := strings.Cut(strings.ToLower(text), "e")
	size, err := strconv.Atoi(strings.TrimLeft(exponent, "+-"))
	if len(text) > MaxNumber || has && (err != nil || size > MaxNumber) {
		return tooMuch("a number is too large")
	}
	return nil
}
