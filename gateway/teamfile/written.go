package teamfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/template"
	"github.com/agui-gateway/gateway/state/document"
)

// A written collects the known writes to one state. With it, reading the file finds an output that can never exist, or
// an input of another type than its contract has.
type written struct {
	values  []writtenValue
	unknown bool       // something may write anywhere, such as an agent in Go
	parts   []*written // of agents of the file that work on the same state
	// reducers are those of a team for the state.
	reducers document.Reducers
}

// A writtenValue is one place that is written.
type writtenValue struct {
	pointer string
	schema  json.RawMessage // of the value; nil if it is not known
}

// wrote notes a write to a pointer by the part that is being read. The schema is that of the value, or nil.
func (b *builder) wrote(pointer string, schema json.RawMessage) {
	if b.written != nil && pointer != "" {
		b.written.values = append(b.written.values, writtenValue{pointer, schema})
	}
}

// all returns all places that are written, and whether they are known.
func (w *written) all(seen map[*written]bool) (values []writtenValue, known bool) {
	if seen[w] {
		return nil, true
	}
	seen[w] = true
	values, known = slices.Clone(w.values), !w.unknown
	for _, part := range w.parts {
		more, ok := part.all(seen)
		values, known = append(values, more...), known && ok
	}
	return values, known
}

// allReducers returns the reducers of the state. Where several teams have one for a pointer, that of the outermost
// counts.
func (w *written) allReducers() document.Reducers {
	all := document.Reducers{}
	for _, part := range w.parts {
		maps.Copy(all, part.allReducers())
	}
	maps.Copy(all, w.reducers)
	return all
}

// shareReducers gives each agent the reducers of the teams that work on its state. Only a groupchat can have some.
func (b *builder) shareReducers(order []*entry) {
	for _, e := range order {
		reducers := e.written.allReducers()
		if len(reducers) == 0 {
			continue
		}
		if c, ok := groupchat.As[*groupchat.Chat](b.team.Agents[e.name]); ok {
			c.State.Reducers = reducers
		} else if b.team.Agents[e.name] != nil && b.isServed(e) {
			e.key.warn("%q has no state of its own, so the reducers of the teams in it do not count; "+
				"give those a `scope`, or put it into a groupchat", e.name)
		}
	}
}

// typesAt returns the types that the value at a pointer may have, all of them if they are not known. Found reports
// whether something may be written there.
func (w *written) typesAt(pointer string) (of types, found bool) {
	values, known := w.all(map[*written]bool{})
	if !known {
		return anyType, true
	}
	for _, v := range values {
		rest, below := strings.CutPrefix(pointer, v.pointer)
		switch {
		case below && (rest == "" || rest[0] == '/'):
			of |= typesAt(v.schema, namesOf(rest))
			found = true
		case strings.HasPrefix(v.pointer, pointer+"/"):
			return anyType, true
		}
	}
	return of, found
}

// namesOf returns the names of a JSON Pointer.
func namesOf(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

// A share is a participant, or a tool, with a separate state: its inputs and outputs.
type share struct {
	what            string
	at              *Value // the participant or the tool
	inputs, outputs *Value
	scope           groupchat.Scoping
	agent           *entry // the agent of the file that it names, if it does
	contracts       []*contract
	outer, own      *written
}

// openShare begins to read the agent of a participant or tool. Its writes go into its separate state if it has one.
func (b *builder) openShare(f *Fields, scope groupchat.Scoping) *share {
	s := &share{what: f.what, at: f.v, outer: b.written, own: b.written}
	s.inputs, s.outputs = f.Any("inputs"), f.Any("outputs")
	if scope.Kind != groupchat.ScopeShared {
		s.own = &written{}
		b.written = s.own
		for name := range scope.Mapping.In {
			b.wrote(document.Pointer(name), nil)
		}
		for name := range scope.Inputs {
			b.wrote(document.Pointer(name), nil)
		}
	}
	if n := f.Any("agent"); n != nil && !isAGUI(f.v) {
		s.agent = b.entries[n.text]
	}
	return s
}

// closeShare ends the reading of a share. One with a separate state is kept for [builder.checkShares], and its outputs
// are noted as writes to the state around it.
func (b *builder) closeShare(s *share, scope *groupchat.Scoping, own *contract) {
	b.written = s.outer
	if scope.Kind == groupchat.ScopeShared {
		return
	}
	if reducers := s.own.allReducers(); len(reducers) > 0 {
		// Only a mapped scope has reducers. A mapped scope without inputs and outputs is isolated.
		scope.Kind, scope.Mapping.Reducers = groupchat.ScopeMapped, reducers
	}
	s.scope = *scope
	if own != nil {
		s.contracts = append(s.contracts, own)
	}
	if s.agent != nil && s.agent.contract != nil {
		s.contracts = append(s.contracts, s.agent.contract)
	}
	b.shares = append(b.shares, s)
	for from, to := range s.scope.Mapping.Out {
		var schema json.RawMessage
		for _, c := range s.contracts {
			if names := namesOf(from); len(names) == 1 && c.outputs.Properties != nil {
				schema = c.outputs.Properties[names[0]]
			}
		}
		b.wrote(to, schema)
	}
}

// checkShares notes impossible inputs and outputs of participants with a separate state.
func (b *builder) checkShares() {
	for _, s := range b.shares {
		for _, c := range s.contracts {
			b.checkInputs(s, c)
		}
		b.checkOutputs(s)
	}
}

// checkInputs compares the inputs of a share with a contract.
func (b *builder) checkInputs(s *share, c *contract) {
	for _, name := range c.inputs.Required {
		_, mapped := s.scope.Mapping.In[name]
		if !mapped && s.scope.Inputs[name] == nil {
			at := s.at
			if s.inputs != nil {
				at = s.inputs
			}
			at.Bad("the contract of %s requires the input %q; write `inputs: { %s: /pointer }`", s.what, name, name)
		}
	}
	keys, values := s.inputs.Pairs("inputs")
	for i, key := range keys {
		name := strings.TrimPrefix(key.text, "/")
		if !c.inputs.knows(name) {
			key.Bad("the contract of %s has no input %q; remove it, or name it in the contract", s.what, name)
			continue
		}
		want := typesAt(c.Inputs, []string{name})
		have, from := anyType, "nothing"
		if s.scope.Inputs[name] != nil {
			if p, err := template.Parse(values[i].text); err == nil && !p.IsValue() {
				have, from = stringType, "a text"
			}
		} else if pointer := s.scope.Mapping.In[name]; !b.isReduced(pointer) {
			have, _ = s.outer.typesAt(pointer)
			from = "what is written to " + pointer
		}
		if have != 0 && have&want == 0 {
			values[i].Bad("the contract of %s wants the input %q of another type than %s has", s.what, name, from)
		}
	}
}

// checkOutputs compares the outputs of a share with its contracts and the writes to its state.
func (b *builder) checkOutputs(s *share) {
	keys, _ := s.outputs.Pairs("outputs")
	for _, key := range keys {
		from := key.text
		if !strings.HasPrefix(from, "/") {
			from = "/" + from
		}
		name := namesOf(from)[0]
		_, given := s.scope.Mapping.In[name]
		given = given || s.scope.Inputs[name] != nil
		have, found := s.own.typesAt(from)
		if !found && !given {
			key.Bad("nothing in %s writes %s; let something write it, with `result`, `store` or `set`, or remove "+
				"the output", s.what, from)
			continue
		}
		for _, c := range s.contracts {
			switch want := typesAt(c.Outputs, namesOf(from)); {
			case c.Outputs != nil && !c.outputs.knows(name):
				key.Bad("the contract of %s has no output %q; remove it, or name it in the contract", s.what, name)
			case found && !given && have&want == 0 && len(s.scope.Mapping.Reducers) == 0:
				key.Bad("the contract of %s wants the output %q of another type than is written to it", s.what, name)
			}
		}
	}
}

// isReduced reports whether a reducer of the file changes values that are written at a pointer.
func (b *builder) isReduced(pointer string) bool {
	return slices.ContainsFunc(b.reduced, func(p string) bool {
		return p == pointer || strings.HasPrefix(pointer, p+"/") || strings.HasPrefix(p, pointer+"/")
	})
}

// stringSchema is the schema of a text.
var stringSchema = json.RawMessage(`{"type":"string"}`)

// schemaOfValue returns a schema with the type of a value.
func schemaOfValue(raw json.RawMessage) json.RawMessage {
	name := "number"
	switch raw[0] {
	case '{':
		name = "object"
	case '[':
		name = "array"
	case '"':
		name = "string"
	case 't', 'f':
		name = "boolean"
	case 'n':
		name = "null"
	default:
		if !bytes.ContainsAny(raw, ".eE") {
			name = "integer"
		}
	}
	return json.RawMessage(fmt.Sprintf(`{"type":%q}`, name))
}
