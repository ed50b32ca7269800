package teamfile

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// A contract is what a file says of an agent's inputs and outputs.
type contract struct {
	groupchat.Contract
	inputs, outputs objectSchema
}

// An objectSchema is what the reader knows of a schema of an object.
type objectSchema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// knows reports whether the schema may have a member of that name.
func (s objectSchema) knows(name string) bool {
	_, ok := s.Properties[name]
	return ok || s.Properties == nil
}

// contract reads the contract of an agent or a participant; nil if there is none.
func (b *builder) contract(n *node) *contract {
	if n == nil {
		return nil
	}
	f := b.fields(n, "a contract")
	c := &contract{}
	inputs, outputs := f.take("inputs"), f.take("outputs")
	if n.kind == mappingNode && inputs == nil && outputs == nil {
		b.bad(n, "a contract has inputs, outputs or both; write `contract: { inputs: { required: [ topic ], properties: { topic: { type: string } } } }`")
	}
	c.Inputs = b.objectSchema(inputs, &c.inputs)
	c.Outputs = b.objectSchema(outputs, &c.outputs)
	f.end()
	return c
}

// objectSchema reads one side of a contract, a JSON Schema.
func (b *builder) objectSchema(n *node, into *objectSchema) json.RawMessage {
	if n == nil {
		return nil
	}
	const hint = "a JSON Schema of an object belongs here; write `{ required: [ topic ], properties: { topic: { type: string } } }`"
	if n.kind != mappingNode {
		b.bad(n, hint)
		return nil
	}
	before := len(b.problems)
	raw := b.json(n)
	switch {
	case len(b.problems) > before:
		return nil
	case state.CheckSchema(raw) != nil, json.Unmarshal(raw, into) != nil, jsonTypes(raw)&objectType == 0:
		b.bad(n, hint)
		return nil
	}
	return raw
}

// under returns agent with the contract around it.
func (c *contract) under(agent groupchat.Agent) groupchat.Agent {
	if c == nil || agent == nil {
		return agent
	}
	return groupchat.WithContract(agent, c.Contract)
}

// A types is a set of the types that JSON has.
type types uint8

// The types.
const (
	nullType types = 1 << iota
	booleanType
	objectType
	arrayType
	integerType
	fractionType
	stringType
	anyType types = 1<<iota - 1
)

var typeNames = map[string]types{
	"null": nullType, "boolean": booleanType, "object": objectType, "array": arrayType, "integer": integerType,
	"number": integerType | fractionType, "string": stringType,
}

// jsonTypes are those that a schema says values have, all of them if it does not say.
func jsonTypes(schema json.RawMessage) types {
	var s struct {
		Type json.RawMessage `json:"type"`
	}
	var one string
	var several []string
	switch {
	case json.Unmarshal(schema, &s) != nil || s.Type == nil:
		return anyType
	case json.Unmarshal(s.Type, &one) == nil:
		several = []string{one}
	case json.Unmarshal(s.Type, &several) != nil:
		return anyType
	}
	var of types
	for _, name := range several {
		of |= typeNames[name]
	}
	return of
}

// typesAt are those that a schema says of the value at names below what it is of.
func typesAt(schema json.RawMessage, names []string) types {
	for _, name := range names {
		var s objectSchema
		if json.Unmarshal(schema, &s) != nil || s.Properties[name] == nil {
			return anyType
		}
		schema = s.Properties[name]
	}
	return jsonTypes(schema)
}

// valueTypes is that of a value.
func valueTypes(raw json.RawMessage) types {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return anyType
	}
	switch v := v.(type) {
	case nil:
		return nullType
	case bool:
		return booleanType
	case map[string]any:
		return objectType
	case []any:
		return arrayType
	case string:
		return stringType
	case float64:
		if v == float64(int64(v)) {
			return integerType
		}
		return fractionType
	default:
		return anyType
	}
}
