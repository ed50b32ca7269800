package state

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/schemacost"
	"github.com/agui-gateway/gateway/state/document"
)

// ErrAnswer is returned by [ValidateAnswer] for an answer its schema does not accept.
var ErrAnswer = errors.New("state: answer does not match its schema")

// ValidateAnswer checks an answer against the schema its question was asked with; no schema accepts everything. Schemas
// may be an agent's or a remote server's: references out of the schema itself are refused, so that none can make the
// gateway read a file or a URL, and so are schemas that cost too much, and answers that are too much to hold against
// theirs. The error says where the answer does not match, by a JSON Pointer and the keyword, and quotes nothing of it
// but names of members.
func ValidateAnswer(schema, payload json.RawMessage) error {
	s, err := compileAnswers(schema)
	if err != nil {
		return err
	}
	return s.Check(payload)
}

// compileAnswers compiles the schema of a question, which may have none.
func compileAnswers(schema json.RawMessage) (*Schema, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	return CompileSchema(schema)
}

// A Schema is a JSON Schema that was compiled once. Nil accepts everything. It may be used by several goroutines at
// once.
type Schema struct {
	compiled *jsonschema.Schema
	cost     *schemacost.Cost
}

// CompileSchema compiles schema. It fails for one that is no JSON Schema, refers to something outside of itself, or
// costs too much.
func CompileSchema(schema json.RawMessage) (*Schema, error) {
	cost, err := schemacost.New(schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	compiled, err := compile(doc, jsonschema.Draft2020)
	if err != nil { // before draft 2020-12, items could be a list: one schema for each item
		if older, olderErr := compile(doc, jsonschema.Draft2019); olderErr == nil {
			compiled, err = older, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &Schema{compiled, cost}, nil
}

// compile compiles a schema, by the rules of draft unless the schema has a $schema.
func compile(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(deny{})
	c.DefaultDraft(draft)
	if err := c.AddResource(answerURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(answerURL)
}

// Check holds a value against the schema, as [ValidateAnswer] does.
func (s *Schema) Check(value json.RawMessage) error {
	if s == nil {
		return nil
	}
	list := s.mismatches(value)
	switch {
	case list == nil:
		return nil
	case list[0].keyword == "":
		return ErrAnswer
	}
	return fmt.Errorf("%w: %s: %s", ErrAnswer, cmp.Or(list[0].pointer, "/"), list[0].keyword)
}

// Problems returns the places at which a value does not match, each with its problem; nil if it matches. They quote
// nothing of the value but names of members.
func (s *Schema) Problems(value json.RawMessage) []string {
	var list []string
	for _, m := range s.mismatches(value) {
		list = append(list, cmp.Or(m.pointer, "it")+" "+m.problem)
	}
	return list
}

// A mismatch is a place at which a value does not match. It has nothing of the value, which may be private, but names
// of members.
type mismatch struct{ pointer, keyword, problem string }

// mismatches are those of a value with the schema; nil if it matches.
func (s *Schema) mismatches(value json.RawMessage) []mismatch {
	if s.cost.Check(value) != nil {
		return []mismatch{{problem: "is too much to be checked"}}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return []mismatch{{problem: "is no JSON"}}
	}
	err = s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	found, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []mismatch{{problem: "cannot be checked"}}
	}
	return appendMismatches(nil, found)
}

// appendMismatches appends the places of e. It omits the causes of failed alternatives, because the intended one is
// unknown.
func appendMismatches(list []mismatch, e *jsonschema.ValidationError) []mismatch {
	for _, cause := range e.Causes {
		list = appendMismatches(list, cause)
	}
	if len(e.Causes) > 0 {
		return list
	}
	m := mismatch{problem: "does not match"}
	for _, name := range e.InstanceLocation {
		m.pointer += document.Pointer(name)
	}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		m.keyword = path[len(path)-1]
		m.problem += " " + m.keyword
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		m.problem = "lacks " + strings.Join(k.Missing, ", ")
	case *kind.AdditionalProperties:
		m.problem = "has members that are not known: " + strings.Join(k.Properties, ", ")
	case *kind.Type:
		m.problem = fmt.Sprintf("is of type %s, not %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum, *kind.Const:
		m.problem = "is none of the choices"
	}
	return append(list, m)
}

// CheckSchema reports whether schema is one that answers can be checked with.
func CheckSchema(schema json.RawMessage) error {
	_, err := CompileSchema(schema)
	return err
}

// answerURL is where a schema seems to come from. It has a path, so that relative references lead away from it,
// to the denied part, and not back to the schema itself.
const answerURL = "https://schema.invalid/answer"

// deny loads nothing: the library's default loader reads local files.
type deny struct{}

func (deny) Load(string) (any, error) {
	return nil, errors.New("state: schemas may not refer to other documents")
}

// A Problem says why an answer does not fit its question. It quotes nothing of the answer but names of members.
type Problem struct {
	InterruptID string `json:"interruptId"`
	Path        string `json:"path"`    // a JSON Pointer into the payload; empty for all of it
	Problem     string `json:"problem"` // what follows "the value at that path"
}

// String is the problem as logs have it.
func (p Problem) String() string {
	return strings.TrimSpace(p.InterruptID + " " + p.Path + ": " + p.Problem)
}

// The limits of the problems of an answer.
const (
	maxProblems    = 8
	maxProblemText = 200
)

// problems are those of a payload that [FitQuestion] has no form of.
func problems(token Token, payload json.RawMessage) []Problem {
	id := token.Interrupt.ID
	if payload == nil {
		return []Problem{{InterruptID: id, Problem: "is missing"}}
	}
	if members := bareMembers(token.Interrupt.ResponseSchema); payload[0] != '{' && len(members) > 0 {
		payload = wrap(members[0], payload)
	}
	schema, err := CompileSchema(token.Interrupt.ResponseSchema)
	if err != nil {
		return []Problem{{InterruptID: id, Problem: "cannot be checked"}}
	}
	var list []Problem
	for _, m := range schema.mismatches(payload) {
		if len(list) < maxProblems {
			list = append(list, Problem{id, clip.To(m.pointer, maxProblemText), clip.To(m.problem, maxProblemText)})
		}
	}
	if list == nil {
		list = []Problem{{InterruptID: id, Problem: "has a number that may be one of several: see docs/questions.md"}}
	}
	return list
}

// MetadataOf is the metadata of an event that refuses answers because of problems; nil without any.
func MetadataOf(list []Problem) agui.Metadata {
	raw, err := json.Marshal(list)
	if err != nil || len(list) == 0 {
		return nil
	}
	return agui.Metadata{"details": raw}
}
