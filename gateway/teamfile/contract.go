package teamfile

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
)

// A contract has the schemas of an agent's inputs and outputs.
type contract struct {
	groupchat.Contract
	inputs, outputs objectSchema
}

// An objectSchema is the part of an object's schema that is compared with the file.
type objectSchema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// knows reports whether the schema may have a member of that name.
func (s objectSchema) knows(name string) bool {
	_, ok := s.Properties[name]
	return ok || s.Properties == nil
}

// readContract reads the contract of an agent or a participant; nil if there is none.
func readContract(n *Value) *contract {
	if n == nil {
		return nil
	}
	f := n.Fields("a contract", "")
	c := &contract{}
	inputs, outputs := f.Take("inputs"), f.Take("outputs")
	if inputs == nil && outputs == nil {
		n.Bad("a contract has inputs, outputs or both; write " +
			"`contract: { inputs: { required: [ topic ], properties: { topic: { type: string } } } }`")
	}
	c.Inputs = inputs.objectSchema(&c.inputs)
	c.Outputs = outputs.objectSchema(&c.outputs)
	f.End()
	return c
}

// objectSchema reads one side of a contract, a JSON Schema.
func (v *Value) objectSchema(into *objectSchema) json.RawMessage {
	const hint = "a JSON Schema of an object belongs here; write " +
		"`{ required: [ topic ], properties: { topic: { type: string } } }`"
	raw := v.schema(hint, hint)
	if raw != nil && (json.Unmarshal(raw, into) != nil || jsonTypes(raw)&objectType == 0) {
		v.Bad(hint)
		return nil
	}
	return raw
}

// apply returns agent with the contract around it.
func (c *contract) apply(agent groupchat.Agent) groupchat.Agent {
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

// jsonTypes returns the types of a schema, all of them if it names none.
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

// typesAt returns the types of the value at names below the value of a schema.
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
