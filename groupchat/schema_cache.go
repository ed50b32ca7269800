package groupchat

import (
	"encoding/json"
	"sync"

	"github.com/agui-gateway/gateway/internal/bounded"
)

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
