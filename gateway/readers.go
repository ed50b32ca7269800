package gateway

import (
	"sync"

	"github.com/agui-gateway/gateway/state"
)

// readerCount counts the readers of each thread on this replica.
type readerCount struct {
	changed func(state.Key) // called after every change

	mu sync.Mutex
	n  map[state.Key]int
}

// enter counts a reader in, unless there are limit of them already (0: no limit).
func (c *readerCount) enter(key state.Key, limit int) bool {
	c.mu.Lock()
	if limit > 0 && c.n[key] >= limit {
		c.mu.Unlock()
		return false
	}
	if c.n == nil {
		c.n = map[state.Key]int{}
	}
	c.n[key]++
	c.mu.Unlock()
	c.changed(key)
	return true
}

func (c *readerCount) leave(key state.Key) {
	c.mu.Lock()
	if c.n[key]--; c.n[key] == 0 {
		delete(c.n, key)
	}
	c.mu.Unlock()
	c.changed(key)
}

// any reports whether somebody reads the thread.
func (c *readerCount) any(key state.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[key] > 0
}
