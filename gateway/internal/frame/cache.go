package frame

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

const (
	// snapshotsPerThread is how many of the newest snapshots of a thread are kept while it has readers.
	snapshotsPerThread = 4
	// cachedSnapshots is how many bytes of snapshots are kept in all. What is beyond is made for each reader.
	cachedSnapshots = 16 << 20
)

// A Snapshot names what a marker in a log stands for. Revisions are used again when a thread of a deleted one's name is made;
// fences are not, see [state.Lease].
type Snapshot struct {
	Key   state.Key
	Fence uint64
	Rev   int64
	At    int64 // when the marker was written
	Type  agui.EventType
}

// A Cache holds the events that markers stand for, so that the readers of a run share them. The zero value is
// empty. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	threads map[state.Key]*threadSnapshots // of threads with readers
	size    int
}

// threadSnapshots holds the snapshots of one thread.
type threadSnapshots struct {
	made map[Snapshot]*cachedSnapshot
	kept []keptSnapshot // oldest first
}

// A keptSnapshot takes size bytes.
type keptSnapshot struct {
	id   Snapshot
	size int
}

// A cachedSnapshot is made by the reader that holds turn.
type cachedSnapshot struct {
	turn chan struct{}
	data json.RawMessage // nil until it is made
}

// Get returns the event of a snapshot, which the first caller makes by read. Others wait for it, no longer than ctx. The
// caller is a reader of the thread; when the last of them leaves, [Cache.Drop] is called.
func (c *Cache) Get(ctx context.Context, id Snapshot, read func() (json.RawMessage, error)) (json.RawMessage, error) {
	s := c.enter(id)
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.data != nil {
		return s.data, nil
	}
	data, err := read()
	if err != nil {
		c.keep(id, s, -1)
		return nil, err
	}
	s.data = data
	c.keep(id, s, len(data))
	return data, nil
}

// enter returns the entry of id, which may have no data yet.
func (c *Cache) enter(id Snapshot) *cachedSnapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.threads == nil {
		c.threads = map[state.Key]*threadSnapshots{}
	}
	t := c.threads[id.Key]
	if t == nil {
		t = &threadSnapshots{made: map[Snapshot]*cachedSnapshot{}}
		c.threads[id.Key] = t
	}
	s := t.made[id]
	if s == nil {
		s = &cachedSnapshot{turn: make(chan struct{}, 1)}
		t.made[id] = s
	}
	return s
}

// keep keeps a snapshot that was made, if there is room for its size, and drops the thread's oldest. A negative size says that it could
// not be made.
func (c *Cache) keep(id Snapshot, s *cachedSnapshot, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.threads[id.Key]
	if t == nil || t.made[id] != s {
		return // its readers have left since
	}
	if size < 0 || c.size+size > cachedSnapshots {
		delete(t.made, id)
		return
	}
	c.size += size
	if t.kept = append(t.kept, keptSnapshot{id, size}); len(t.kept) > snapshotsPerThread {
		oldest := t.kept[0]
		c.size -= oldest.size
		delete(t.made, oldest.id)
		t.kept = t.kept[1:]
	}
}

// Drop drops a thread's snapshots.
func (c *Cache) Drop(key state.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.threads[key]; t != nil {
		for _, kept := range t.kept {
			c.size -= kept.size
		}
		delete(c.threads, key)
	}
}
