package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// cachedSnapshots is how many bytes of snapshots are kept for readers of the same runs.
const cachedSnapshots = 16 << 20

// A snapshotID names what a marker in a log stands for. Revisions begin anew where a thread is made anew under the name
// of another; fences do not, see [state.Lease].
type snapshotID struct {
	key   state.Key
	fence uint64
	rev   int64
	kind  agui.EventType
}

// A snapshotCache has the events that markers stand for, so that the readers of a run share them. The zero value is
// empty. It is safe for concurrent use.
type snapshotCache struct {
	mu    sync.Mutex
	made  map[snapshotID]*cachedSnapshot
	order []snapshotID // oldest first
	size  int
}

// A cachedSnapshot is made by whoever holds turn.
type cachedSnapshot struct {
	turn chan struct{}
	data json.RawMessage // nil until it is made
}

// get returns the event of a snapshot, which read makes if nobody has. Who asks meanwhile waits, no longer than ctx.
func (c *snapshotCache) get(ctx context.Context, id snapshotID, read func() (json.RawMessage, error)) (json.RawMessage, error) {
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
		c.forget(id, s)
		return nil, err
	}
	s.data = data
	c.keep(id, s)
	return data, nil
}

// enter returns the snapshot that id has, or is about to have.
func (c *snapshotCache) enter(id snapshotID) *cachedSnapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.made[id]; s != nil {
		return s
	}
	if c.made == nil {
		c.made = map[snapshotID]*cachedSnapshot{}
	}
	s := &cachedSnapshot{turn: make(chan struct{}, 1)}
	c.made[id] = s
	return s
}

// keep keeps what was made, and lets go of the oldest there is no room for.
func (c *snapshotCache) keep(id snapshotID, s *cachedSnapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.made[id]; now != nil && now != s {
		return // somebody else was faster after a failure
	}
	c.made[id] = s
	c.order = append(c.order, id)
	c.size += len(s.data)
	for c.size > cachedSnapshots {
		oldest := c.order[0]
		c.size -= len(c.made[oldest].data)
		delete(c.made, oldest)
		c.order = c.order[1:]
	}
}

// forget takes back what could not be made.
func (c *snapshotCache) forget(id snapshotID, s *cachedSnapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made[id] == s {
		delete(c.made, id)
	}
}
