package groupchat

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agui-gateway/gateway/internal/bounded"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// A toolSchema is a JSON Schema for what models write. The zero value takes any JSON.
type toolSchema struct{ compiled *state.Schema }

// anyValue keeps a json.RawMessage from being the list of bytes that it is made of: encoding/json takes any value for
// one.
var anyValue = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}

// schemaOf is the schema of A, which wants to be an object.
func schemaOf[A any]() (json.RawMessage, error) {
	s, err := jsonschema.For[A](&jsonschema.ForOptions{TypeSchemas: anyValue})
	if err != nil {
		return nil, fmt.Errorf("schema of its arguments: %w", err)
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("its arguments are no object but %T", *new(A))
	}
	return json.Marshal(s)
}

// compileSchema compiles a schema, as [state.CompileSchema] does; nil takes any JSON. An unknown dialect is read as the
// current one, because servers of tools name many.
func compileSchema(raw json.RawMessage) (toolSchema, error) {
	if raw == nil {
		return toolSchema{}, nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // true and false are schemas too
	if dialect, ok := members["$schema"]; ok && !strings.Contains(string(dialect), "//json-schema.org/") {
		delete(members, "$schema")
		raw, _ = json.Marshal(members) // JSON that was read
	}
	compiled, err := state.CompileSchema(raw)
	return toolSchema{compiled}, err
}

// check reports why raw does not match, in words for a model.
func (s toolSchema) check(raw json.RawMessage) error {
	if !json.Valid(raw) {
		return errors.New("it is not JSON")
	}
	if s.compiled == nil {
		return nil
	}
	if problems := s.compiled.Problems(raw); problems != nil {
		return errors.New(clip.To(strings.Join(problems, "; "), 500))
	}
	return nil
}

// find returns the first of the values in a model's reply that matches, or why the likeliest does not.
func (s toolSchema) find(reply string) (json.RawMessage, error) {
	values := model.Values(reply)
	for _, value := range values {
		if s.check(value) == nil {
			return value, nil
		}
	}
	return nil, s.check(likeliest(values))
}

// likeliest is the first of values, nil if there is none.
func likeliest(values []json.RawMessage) json.RawMessage {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

// mismatch says where a reply does not match its schema, for the log: it quotes nothing of it.
func mismatch(schema, reply json.RawMessage) error {
	if !json.Valid(reply) {
		return errors.New("it is not JSON")
	}
	if err := state.ValidateAnswer(schema, reply); err != nil {
		return err
	}
	return errors.New("at a place that is not known")
}

// arguments are those of a call as the tool gets them, or their mistake in words for the model.
func (t *Tool) arguments(written string) (json.RawMessage, error) {
	if strings.TrimSpace(written) == "" {
		written = "{}" // what models write that have nothing to say
	}
	if !isObject(written) {
		return nil, errors.New(noObject)
	}
	raw := json.RawMessage(written)
	s, err := schemas.compile(t.Parameters)
	if err != nil {
		return nil, errors.New("the tool has no valid schema")
	}
	return raw, s.check(raw)
}

// noObject is the mistake of arguments that are not even JSON.
const noObject = "they are not a JSON object"

// isObject reports whether arguments are a JSON object, or nothing, which means an empty one.
func isObject(arguments string) bool {
	var object map[string]json.RawMessage
	return strings.TrimSpace(arguments) == "" || json.Unmarshal([]byte(arguments), &object) == nil && object != nil
}

// mistakeText describes a mistake in arguments for the model.
func mistakeText(problem string) string {
	return "The tool was not called, because its arguments are wrong: " + problem + "."
}

// A schemaCache keeps compiled schemas: a model that has tools would else wait for the same compilation in each turn,
// once for each of them. [newSchemaCache] makes one. It is safe for concurrent use.
type schemaCache struct {
	mu    sync.Mutex
	table *bounded.Table[string, toolSchema] // by their text
}

// The bounds of a cache. A compiled schema takes some ten times the size of its text.
const (
	maxCachedSchemas     = 512
	maxCachedSchemaBytes = 2 << 20
)

func newSchemaCache() *schemaCache {
	return &schemaCache{table: bounded.New[string, toolSchema](maxCachedSchemas, maxCachedSchemaBytes)}
}

// schemas are those of all agents.
var schemas = newSchemaCache()

// compile returns the compiled schema. An invalid schema is not kept.
func (c *schemaCache) compile(raw json.RawMessage) (toolSchema, error) {
	key := string(raw)
	c.mu.Lock()
	s, ok := c.table.Use(key)
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := compileSchema(raw)
	if err == nil && len(key) <= maxCachedSchemaBytes/8 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.table.Put(key, s, int64(len(key)))
	}
	return s, err
}
