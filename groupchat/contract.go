package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A Contract declares the inputs of an agent in its state, and its outputs at the end of its turn. Usually the agent
// has a separate own, of which the inputs and outputs are all that it shares with its team: see [Scoping].
//
// Both are JSON Schemas of objects with the members of the state. Only members that the schema names, in properties or
// required, are looked at.
type Contract struct {
	// Inputs are checked before the agent works in a turn, once for the turn; nil asks for nothing.
	Inputs json.RawMessage
	// Outputs are checked when the agent is done, before they are copied to the team's state; nil promises nothing.
	Outputs json.RawMessage
}

// WithContract returns agent with a contract. A turn that breaks it fails with contract_violation: before the agent
// begins for want of an input, and after it for want of an output. What the agent wrote to a state that it shares stays
// written. The agent has the same turns: a checkpoint with the contract continues without, and the other way round.
//
// A participant with a scope that lacks required inputs, or gives or takes others than those of the contract, is
// reported by Validate.
func WithContract(agent Agent, c Contract) Agent {
	k := &contracted{agent: agent}
	k.inputs, k.err = newSide("inputs", c.Inputs)
	outputs, err := newSide("outputs", c.Outputs)
	k.outputs, k.err = outputs, errors.Join(k.err, err)
	return k
}

type contracted struct {
	agent           Agent
	inputs, outputs *contractSide // nil: nothing is asked for
	err             error         // of the schemas
}

type contractSide struct {
	what     string
	schema   *state.Schema
	names    []string // the members that it names, sorted
	required []string
	closed   bool // there are properties: other names are not part of it
}

func newSide(what string, raw json.RawMessage) (*contractSide, error) {
	if raw == nil {
		return nil, nil
	}
	schema, err := state.CompileSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("contract: %s: no valid schema: %w", what, err)
	}
	var form struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, fmt.Errorf("contract: %s: not the schema of an object: %w", what, err)
	}
	s := &contractSide{what: what, schema: schema, required: form.Required, closed: form.Properties != nil}
	s.names = append(s.names, form.Required...)
	for name := range form.Properties {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	return s, nil
}

// check holds what a scope has against the side of the contract.
func (s *contractSide) check(t *Turn) error {
	if s == nil {
		return nil
	}
	object := make(map[string]json.RawMessage, len(s.names))
	for _, name := range s.names {
		if raw, ok := t.State().Raw(document.Pointer(name)); ok {
			object[name] = raw
		}
	}
	raw, err := json.Marshal(object)
	if err == nil {
		err = s.schema.Check(raw)
	}
	if err != nil {
		return fail(errcode.ContractViolation, "%s: the %s break the contract: %w", t.Path(), s.what, err)
	}
	return nil
}

// Run lets the agent take t, if t has what the agent needs.
func (c *contracted) Run(ctx context.Context, t *Turn) error {
	if c.err != nil {
		return fail(errcode.Internal, "%s: %w", t.Path(), c.err)
	}
	if err := t.done("contract/inputs", func() error { return c.inputs.check(t) }); err != nil {
		return err
	}
	in := t.same() // what the agent starts has ended before its outputs are looked at
	in.ctx = ctx
	if err := in.work(c.agent); err != nil {
		return err
	}
	return c.outputs.check(t)
}

// Unwrap is the agent that takes the turn.
func (c *contracted) Unwrap() Agent { return c.agent }

func (c *contracted) check(bad func(format string, args ...any)) {
	if isNil(c.agent) {
		bad("has a contract and no agent")
	}
	if c.err != nil {
		bad("%w", c.err)
	}
}

// checkContract reports mismatches between p's scope and the contract of its agent, if it has one.
func (p *Participant) checkContract(bad func(format string, args ...any)) {
	c := contractOf(p.Agent)
	if c == nil || p.Scope.Kind == ScopeShared {
		return
	}
	given := func(name string) bool {
		_, mapped := p.Scope.Mapping.In[name]
		return mapped || p.Scope.Inputs[name] != nil
	}
	if c.inputs != nil {
		for _, name := range c.inputs.required {
			if !given(name) {
				bad("participant %q: its contract requires the input %q, which is not given", p.Name, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Scope.Mapping.In)) {
			if c.inputs.lacks(name) {
				bad("participant %q: its contract has no input %q", p.Name, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Scope.Inputs)) {
			if c.inputs.lacks(name) {
				bad("participant %q: its contract has no input %q", p.Name, name)
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(p.Scope.Mapping.Out)) {
		if c.outputs != nil && c.outputs.lacks(firstName(from)) {
			bad("participant %q: its contract has no output %q", p.Name, from)
		}
	}
}

// lacks reports whether the side lists its members, and name is none.
func (s *contractSide) lacks(name string) bool {
	_, named := slices.BinarySearch(s.names, name)
	return s.closed && !named
}

// contractOf is the contract of an agent as it applies to its participant's state; nil if there is none, or the agent
// makes its own state before.
func contractOf(a Agent) *contracted {
	for range maxWrappers {
		switch w := a.(type) {
		case *contracted:
			return w
		case *sub:
			if w.o.State.Kind != ScopeShared {
				return nil
			}
			a = w.agent
		case *review:
			a = w.agent
		case Wrapper:
			a = w.Unwrap()
		default:
			return nil
		}
	}
	return nil
}

func firstName(pointer string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(first)
}

var _ Wrapper = (*contracted)(nil)
