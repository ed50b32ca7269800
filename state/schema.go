package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agui-gateway/gateway/internal/schemacost"
)

// ErrAnswer is returned by [ValidateAnswer] for an answer its schema does not accept.
var ErrAnswer = errors.New("state: answer does not match its schema")

// ValidateAnswer checks an answer against the schema its question was asked with; no schema accepts
// everything. Schemas may be an agent's or a remote server's: references out of the schema itself are
// refused, so that none can make the gateway read a file or a URL, and so are schemas that cost too much, and answers that are too much to
// hold against theirs. The error says where the answer does not match, by a JSON Pointer
// and the keyword, and quotes nothing of it but names of members.
func ValidateAnswer(schema, payload json.RawMessage) error {
	if len(schema) == 0 {
		return nil
	}
	s, err := CompileSchema(schema)
	if err != nil {
		return err
	}
	return s.Check(payload)
}

// A Schema is a JSON Schema that was compiled once. It may be used by several goroutines at once.
type Schema struct {
	compiled *jsonschema.Schema
	cost     *schemacost.Cost
}

// CompileSchema compiles schema. It fails for one that is no JSON Schema, refers to something outside of itself, or costs too much.
func CompileSchema(schema json.RawMessage) (*Schema, error) {
	compiled, cost, err := compile(schema)
	if err != nil {
		return nil, err
	}
	return &Schema{compiled, cost}, nil
}

// Check holds a value against the schema, as [ValidateAnswer] does.
func (s *Schema) Check(value json.RawMessage) error {
	if s.cost.Check(value) != nil {
		return ErrAnswer
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return ErrAnswer
	}
	err = s.compiled.Validate(v)
	if mismatch, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return fmt.Errorf("%w: %s", ErrAnswer, placeOf(mismatch)) // the validator's text quotes the value, which may be private
	}
	if err != nil {
		return ErrAnswer
	}
	return nil
}

// placeOf is the first place that is wrong, and the keyword it is wrong by.
func placeOf(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	keyword := ""
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		keyword = path[len(path)-1]
	}
	pointer := ""
	for _, name := range e.InstanceLocation {
		pointer += Pointer(name)
	}
	if pointer == "" {
		pointer = "/"
	}
	return pointer + ": " + keyword
}

// CheckSchema reports whether schema is one that answers can be checked with.
func CheckSchema(schema json.RawMessage) error {
	_, _, err := compile(schema)
	return err
}

// answerURL is where a schema seems to come from. It has a path, so that relative references lead away from it,
// to what is denied, and not back to the schema itself.
const answerURL = "https://schema.invalid/answer"

// compile returns a schema to validate with, and what tells beforehand what that costs.
func compile(schema json.RawMessage) (*jsonschema.Schema, *schemacost.Cost, error) {
	cost, err := schemacost.New(schema)
	if err != nil {
		return nil, nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(deny{})
	if err := c.AddResource(answerURL, doc); err != nil {
		return nil, nil, err
	}
	compiled, err := c.Compile(answerURL)
	return compiled, cost, err
}

// deny loads nothing: the library's default loader reads local files.
type deny struct{}

func (deny) Load(string) (any, error) {
	return nil, errors.New("state: schemas may not refer to other documents")
}
