package frame

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state"
)

const (
	// snapshotsPerThread bounds the cached newest snapshots of a thread with readers.
	snapshotsPerThread = 4
	// cachedSnapshots bounds the total size of cached snapshots in bytes. Further ones are made for each reader.
	cachedSnapshots = 16 << 20
)

// A Snapshot identifies the content of a marker. Fences distinguish threads of one name, see [state.Lease].
type Snapshot struct {
	Key   state.Key
	Fence uint64
	Rev   int64
	At    int64 // when the marker was written
	Type  agui.EventType
}

// A Cache holds the events of markers for all readers. The zero value is empty. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	threads map[state.Key][]*cachedSnapshot // of threads with readers; the kept ones of a thread have the oldest first
	size    int
}

// A cachedSnapshot is made by the reader that holds turn.
type cachedSnapshot struct {
	id   Snapshot
	turn lock.Lock
	data json.RawMessage // nil until it is made

	// kept means that its size is counted. Both are guarded by the cache's mu.
	kept bool
	size int
}

// Get returns the event of a snapshot; the first caller makes it with read. Others wait for it, until ctx is done. The
// caller is a reader of the thread; when the last of them leaves, [Cache.Drop] is called.
func (c *Cache) Get(ctx context.Context, id Snapshot, read func() (json.RawMessage, error)) (json.RawMessage, error) {
	s := c.enter(id)
	if err := s.turn.LockContext(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Unlock()
	if s.data != nil {
		return s.data, nil
	}
	data, err := read()
	if err != nil {
		c.keep(s, -1)
		return nil, err
	}
	s.data = data
	c.keep(s, len(data))
	return data, nil
}

// enter returns the entry of id, which may have no data yet.
func (c *Cache) enter(id Snapshot) *cachedSnapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.threads == nil {
		c.threads = map[state.Key][]*cachedSnapshot{}
	}
	for _, s := range c.threads[id.Key] {
		if s.id == id {
			return s
		}
	}
	s := &cachedSnapshot{id: id, turn: lock.New()}
	c.threads[id.Key] = append(c.threads[id.Key], s)
	return s
}

// keep stores a snapshot if there is room for its size, and evicts the thread's oldest. A negative size means failure.
func (c *Cache) keep(s *cachedSnapshot, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.threads[s.id.Key]
	i := slices.Index(list, s)
	if i < 0 {
		return // its readers have left since
	}
	list = slices.Delete(list, i, i+1)
	if size >= 0 && c.size+size <= cachedSnapshots {
		s.kept, s.size = true, size
		c.size += size
		list = c.trim(append(list, s))
	}
	c.threads[s.id.Key] = list
}

// trim evicts the oldest of a thread's snapshots beyond the limit.
func (c *Cache) trim(list []*cachedSnapshot) []*cachedSnapshot {
	kept, oldest := 0, 0
	for i, s := range slices.Backward(list) {
		if s.kept {
			kept, oldest = kept+1, i
		}
	}
	if kept <= snapshotsPerThread {
		return list
	}
	c.size -= list[oldest].size
	return slices.Delete(list, oldest, oldest+1)
}

// Drop drops a thread's snapshots.
func (c *Cache) Drop(key state.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.threads[key] {
		c.size -= s.size
	}
	delete(c.threads, key)
}
