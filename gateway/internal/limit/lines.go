package limit

import (
	"sync"
	"time"
)

// Lines lets one line a second into a log, of any number. The zero value is ready, and safe for concurrent use.
type Lines struct {
	mu      sync.Mutex
	next    time.Time
	skipped int
}

// Next reports whether the line of now is to be written, and how many were not since the last that was.
func (l *Lines) Next(now time.Time) (skipped int, write bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.next) {
		l.skipped++
		return 0, false
	}
	skipped, l.skipped = l.skipped, 0
	l.next = now.Add(time.Second)
	return skipped, true
}
