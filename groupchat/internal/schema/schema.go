// Package schema holds what models write to JSON Schemas, and makes schemas of Go types.
package schema

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

// A Schema is a JSON Schema for what models write. The zero value takes any JSON.
type Schema struct{ compiled *state.Schema }

// Check reports why raw does not match, in words for a model.
func (s Schema) Check(raw json.RawMessage) error {
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

// Find returns the first of the values in a model's reply that matches, or why the likeliest does not.
func (s Schema) Find(reply string) (json.RawMessage, error) {
	values := model.Values(reply)
	for _, value := range values {
		if s.Check(value) == nil {
			return value, nil
		}
	}
	return nil, s.Check(Likeliest(values))
}

// anyValue keeps a json.RawMessage from being the list of bytes that it is made of: encoding/json takes any value for
// one.
var anyValue = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}

// Of returns the schema of A, which has to be an object.
func Of[A any]() (json.RawMessage, error) {
	s, err := jsonschema.For[A](&jsonschema.ForOptions{TypeSchemas: anyValue})
	if err != nil {
		return nil, fmt.Errorf("schema of its arguments: %w", err)
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("its arguments are no object but %T", *new(A))
	}
	return json.Marshal(s)
}

// Compile compiles a schema, as [state.CompileSchema] does; nil takes any JSON. An unknown dialect is read as the
// current one, because servers of tools name many.
func Compile(raw json.RawMessage) (Schema, error) {
	if raw == nil {
		return Schema{}, nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // true and false are schemas too
	if dialect, ok := members["$schema"]; ok && !strings.Contains(string(dialect), "//json-schema.org/") {
		delete(members, "$schema")
		raw, _ = json.Marshal(members) // JSON that was read
	}
	compiled, err := state.CompileSchema(raw)
	return Schema{compiled}, err
}

// Likeliest is the first of values, nil if there is none.
func Likeliest(values []json.RawMessage) json.RawMessage {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

// Mismatch says where a reply does not match its schema, for the log: it quotes nothing of it.
func Mismatch(schema, reply json.RawMessage) error {
	if !json.Valid(reply) {
		return errors.New("it is not JSON")
	}
	if err := state.ValidateAnswer(schema, reply); err != nil {
		return err
	}
	return errors.New("at a place that is not known")
}

// IsObject reports whether arguments are a JSON object, or nothing, which means an empty one.
func IsObject(arguments string) bool {
	var object map[string]json.RawMessage
	return strings.TrimSpace(arguments) == "" || json.Unmarshal([]byte(arguments), &object) == nil && object != nil
}

// A cache keeps compiled schemas: a model that has tools would else wait for the same compilation in each turn,
// once for each of them. [newCache] makes one. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	table *bounded.Table[string, Schema] // by their text
}

// compile returns the compiled schema. An invalid schema is not kept.
func (c *cache) compile(raw json.RawMessage) (Schema, error) {
	key := string(raw)
	c.mu.Lock()
	s, ok := c.table.Use(key)
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := Compile(raw)
	if err == nil && len(key) <= maxCachedBytes/8 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.table.Put(key, s, int64(len(key)))
	}
	return s, err
}

// The bounds of a cache. A compiled schema takes some ten times the size of its text.
const (
	maxCached      = 512
	maxCachedBytes = 2 << 20
)

func newCache() *cache {
	return &cache{table: bounded.New[string, Schema](maxCached, maxCachedBytes)}
}

// schemas are those of all agents.
var schemas = newCache()

// Cached returns the compiled schema, compiled once for all turns that need it.
func Cached(raw json.RawMessage) (Schema, error) { return schemas.compile(raw) }
