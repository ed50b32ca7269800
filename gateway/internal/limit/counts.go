package limit

import "sync"

// Counts counts the current items of each owner. The zero value is empty. It is safe for concurrent use.
type Counts struct {
	mu sync.Mutex
	n  map[string]int64
}

// Add counts n more of the owner, unless it would have more than most then (0: no limit). It reports whether it did.
func (c *Counts) Add(owner string, n, most int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most > 0 && c.n[owner]+n > most {
		return false
	}
	if c.n == nil {
		c.n = map[string]int64{}
	}
	c.n[owner] += n
	return true
}

// Done takes back n of the owner.
func (c *Counts) Done(owner string, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n[owner] -= n; c.n[owner] == 0 {
		delete(c.n, owner)
	}
}
