package schema

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
	c := newCache()
	first, err := c.compile(numbered(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.compile(numbered(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if first.compiled == nil || first.compiled != again.compiled {
		t.Error("the schema was compiled twice")
	}
	if _, err := c.compile(json.RawMessage(`{"type":7}`)); err == nil {
		t.Error("what is no schema is one")
	}
	if kept := c.table.Len(); kept != 1 {
		t.Errorf("%d are kept, want 1", kept)
	}
}

// TestTheSchemaCacheIsBounded in number and in bytes, and evicts the least recently used.
func TestTheSchemaCacheIsBounded(t *testing.T) {
	for name, size := range map[string]int{"number": 0, "bytes": maxCachedBytes / 40} {
		t.Run(name, func(t *testing.T) {
			c := newCache()
			used, err := c.compile(numbered(-1, 0))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 * maxCached {
				if i > 100 && size > 0 {
					break // enough to have forgotten some
				}
				_, err := c.compile(numbered(i, size))
				if err != nil {
					t.Fatal(err)
				}
				again, err := c.compile(numbered(-1, 0))
				if err != nil {
					t.Fatal(err)
				}
				if again.compiled != used.compiled {
					t.Fatalf("after %d others the schema that is used all the time was forgotten", i)
				}
				if c.table.Len() > maxCached || c.table.Bytes() > maxCachedBytes {
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
	c := newCache()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				s, err := c.compile(numbered(i%5, 0))
				if err != nil || s.Check(json.RawMessage(`{"a":1}`)) != nil || s.Check(json.RawMessage(`7`)) == nil {
					t.Errorf("schema %d does not work: %v", i%5, err)
				}
			}
		})
	}
	wg.Wait()
}
