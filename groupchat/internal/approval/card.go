package approval

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// The limits of a call's display in a question, in bytes. A question is stored with its thread and sent to each of its
// readers.
const (
	MaxArguments   = 16 << 10
	MaxSchema      = 16 << 10
	MaxDescription = 2 << 10
	MaxWhy         = 2 << 10
)

// A Card is what the question about a call shows beside what every question does.
type Card struct {
	Tool        string `json:"tool"`
	Description string `json:"description,omitempty"`
	// Arguments are as people were shown them in the conversation. Of those that are too long it is a text, their
	// beginning.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ArgumentsText is their JSON text, if a client that reads numbers as float64 has others than these.
	ArgumentsText string `json:"argumentsText,omitempty"`
	// Truncated says that these are not all of the arguments, Masked that something in them was changed for people.
	Truncated bool            `json:"truncated,omitempty"`
	Masked    bool            `json:"masked,omitempty"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	// Why is what the model last said in the turn, as people were shown it.
	Why string `json:"why,omitempty"`
	// Remember is for which later calls the answer may count.
	Remember []state.ApprovalScope `json:"remember,omitempty"`

	Origin string `json:"-"` // where the call goes
}

// Editable reports whether a person sees all of the arguments, and so may change them.
func (c *Card) Editable() bool { return !c.Truncated && !c.Masked }

// AnswerSchema returns the schema of an answer to the question about a call. Edited arguments have to match the tool's
// own schema.
func (c *Card) AnswerSchema(parameters json.RawMessage) json.RawMessage {
	plain := json.RawMessage(`{"type":"object"}`)
	edited := plain
	if len(parameters) > 0 && len(parameters) <= MaxSchema {
		if moved, ok := moveSchema(parameters, "#/properties/editedArgs"); ok {
			edited = moved
		}
	}
	schema := c.schemaWith(edited)
	if state.CheckSchema(schema) != nil {
		schema = c.schemaWith(plain)
	}
	return schema
}

// schemaWith is the schema of answers with edited arguments of a schema. Where they cannot be edited they are refused,
// and so they are in an answer that counts for later calls: a person with changes has not seen the next call.
func (c *Card) schemaWith(edited json.RawMessage) json.RawMessage {
	type member = map[string]any
	properties := member{"approved": member{"type": "boolean"},
		"reason": member{"type": "string", "maxLength": MaxReason}}
	same := member{"approved": member{"const": true}}
	if c.Editable() {
		properties["editedArgs"], same["editedArgs"] = edited, member{"const": c.Arguments}
	}
	if len(c.Remember) > 0 {
		properties["remember"] = member{"enum": c.Remember}
	}
	schema := ask.VerdictForm(properties)
	schema["required"] = []string{"approved"}
	if len(c.Remember) > 0 {
		schema["dependentSchemas"] = member{"remember": member{"properties": same}}
	}
	raw, _ := json.Marshal(schema) // of texts and numbers, and of JSON that was decoded before
	return raw
}

// moveSchema is a schema as a part of another one, at a JSON Pointer in it: references to places in it lead to where
// these are then.
func moveSchema(schema json.RawMessage, to string) (json.RawMessage, bool) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var keywords map[string]any
	if err := d.Decode(&keywords); err != nil {
		return nil, false
	}
	delete(keywords, "$schema") // which is for whole documents
	delete(keywords, "$id")
	moveReferences(keywords, to, false)
	raw, err := json.Marshal(keywords)
	return raw, err == nil
}

// moveReferences changes the references in a part of a schema. Named says that the members of v are named schemas, and
// not keywords.
func moveReferences(v any, to string, named bool) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			moveReferences(one, to, false)
		}
	case map[string]any:
		for name, member := range v {
			ref, isText := member.(string)
			switch {
			case named:
				moveReferences(member, to, false)
			case name == "$ref" && isText && strings.HasPrefix(ref, "#"):
				v[name] = to + strings.TrimPrefix(ref, "#")
			case name == "const" || name == "enum" || name == "default" || name == "examples": // values, and no schemas
			default:
				moveReferences(member, to, slices.Contains(namedSchemas, name))
			}
		}
	}
}

// namedSchemas are the keywords with members that are named schemas.
var namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
	"dependencies"}
