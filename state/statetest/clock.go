package statetest

import (
	"sync"
	"time"
)

// How long the stores under test keep what. The suite moves its clock past them.
const (
	LogTTL    = time.Hour
	ThreadTTL = 30 * 24 * time.Hour
)

// A Clock stands still until it is moved. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows a fixed moment.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
}

// Now returns the time it shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Move moves it by d, which may be negative: clocks of machines do that.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
