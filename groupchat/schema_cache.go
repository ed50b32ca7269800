package groupchat

import (
	"encoding/json"
	"sync"
)

// A schemaCache keeps compiled schemas: a model that has tools would else wait for the same compilation in each turn, once for each
// of them. The zero value is ready, and safe for concurrent use.
type schemaCache struct {
	mu sync.Mutex
	// Those that were used last are in young. When it is full it becomes old, and what was old is forgotten.
	young, old map[string]toolSchema
	bytes      int // of the schemas in young, as they were written
}

// The bounds of a generation of a cache. What a schema takes compiled is some ten times its text.
const (
	maxCachedSchemas     = 256
	maxCachedSchemaBytes = 1 << 20
)

// schemas are those of all agents: they are the same for all.
var schemas schemaCache

// compile returns the compiled schema. One that is no schema is not kept.
func (c *schemaCache) compile(raw json.RawMessage) (toolSchema, error) {
	key := string(raw)
	if s, ok := c.find(key); ok {
		return s, nil
	}
	s, err := compileSchema(raw)
	if err == nil && len(key) <= maxCachedSchemaBytes/4 {
		c.keep(key, s)
	}
	return s, err
}

func (c *schemaCache) find(key string) (toolSchema, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.young[key]; ok {
		return s, true
	}
	s, ok := c.old[key]
	if ok {
		c.add(key, s)
	}
	return s, ok
}

func (c *schemaCache) keep(key string, s toolSchema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; !ok {
		c.add(key, s)
	}
}

// add is called with the lock held.
func (c *schemaCache) add(key string, s toolSchema) {
	if len(c.young) >= maxCachedSchemas || c.bytes+len(key) > maxCachedSchemaBytes {
		c.young, c.old, c.bytes = nil, c.young, 0
	}
	c.young = with(c.young, key, s)
	c.bytes += len(key)
}
