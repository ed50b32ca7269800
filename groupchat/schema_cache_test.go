package groupchat

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func numbered(n, size int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","description":"%d%s"}`, n, strings.Repeat("x", size)))
}

// TestASchemaIsCompiledOnce for all turns that need it.
func TestASchemaIsCompiledOnce(t *testing.T) {
	c := newSchemaCache()
	first, err := c.compile(numbered(1, 0))
	must(t, err)
	again, err := c.compile(numbered(1, 0))
	must(t, err)
	if first.compiled == nil || first.compiled != again.compiled {
		t.Error("the schema was compiled twice")
	}
	if _, err := c.compile(json.RawMessage(`{"type":7}`)); err == nil {
		t.Error("what is no schema is one")
	}
	equal(t, "kept", c.table.Len(), 1)
}

// TestTheSchemaCacheIsBounded in number and in bytes, and evicts the least recently used.
func TestTheSchemaCacheIsBounded(t *testing.T) {
	for name, size := range map[string]int{"number": 0, "bytes": maxCachedSchemaBytes / 40} {
		t.Run(name, func(t *testing.T) {
			c := newSchemaCache()
			used, err := c.compile(numbered(-1, 0))
			must(t, err)
			for i := range 3 * maxCachedSchemas {
				if i > 100 && size > 0 {
					break // enough to have forgotten some
				}
				_, err := c.compile(numbered(i, size))
				must(t, err)
				again, err := c.compile(numbered(-1, 0))
				must(t, err)
				if again.compiled != used.compiled {
					t.Fatalf("after %d others the schema that is used all the time was forgotten", i)
				}
				if c.table.Len() > maxCachedSchemas || c.table.Bytes() > maxCachedSchemaBytes {
					t.Fatalf("%d are kept, %d bytes", c.table.Len(), c.table.Bytes())
				}
			}
			if _, kept := c.table.Get(string(numbered(0, size))); kept {
				t.Error("what nobody used is still there")
			}
		})
	}
}

// TestTheSchemaCacheIsSafe for the runs of all threads at once, the use of what it keeps too.
func TestTheSchemaCacheIsSafe(t *testing.T) {
	c := newSchemaCache()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				s, err := c.compile(numbered(i%5, 0))
				if err != nil || s.check(json.RawMessage(`{"a":1}`)) != nil || s.check(json.RawMessage(`7`)) == nil {
					t.Errorf("schema %d does not work: %v", i%5, err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkArguments(b *testing.B) {
	tool := lookTool("", nil)
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1}},"required":["city"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.arguments(`{"city":"Paris","days":3}`); err != nil {
			b.Fatal(err)
		}
	}
}
