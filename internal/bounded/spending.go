package bounded

import (
	"math"
	"sync"
	"time"
)

// A Spending records what owners have spent. Each owner has a window of time, which begins with the first that it
// spends. [NewSpending] makes one. It is safe for concurrent use.
type Spending struct {
	most  int
	mu    sync.Mutex
	table *Table[string, *spent]
	swept time.Time // when ended windows were last looked for
}

// A spent is what an owner has spent until the end of its window.
type spent struct {
	amount int64
	until  time.Time
}

// NewSpending returns a record of at most so many owners.
func NewSpending(owners int) *Spending {
	return &Spending{most: owners, table: New[string, *spent](owners, math.MaxInt64)}
}

// Add counts n, if it is positive, as spent by an owner. A new window begins at now if the owner has none.
func (s *Spending) Add(owner string, n int64, now time.Time, window time.Duration) {
	if n <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.currentLocked(owner, now)
	if o == nil {
		s.sweepLocked(now, window)
		o = &spent{until: now.Add(window)}
		s.table.Put(owner, o, 0)
	}
	o.amount += min(n, math.MaxInt64-o.amount)
	s.table.Rank(owner, o.amount)
}

// Spent returns what an owner has spent in its window, and when that ends; 0 if it has none.
func (s *Spending) Spent(owner string, now time.Time) (n int64, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.currentLocked(owner, now); o != nil {
		return o.amount, o.until
	}
	return 0, time.Time{}
}

// currentLocked returns what an owner has spent, or nil after the end of its window.
func (s *Spending) currentLocked(owner string, now time.Time) *spent {
	o, ok := s.table.Get(owner)
	if ok && !now.Before(o.until) {
		s.table.Delete(owner)
		return nil
	}
	return o
}

// sweepLocked removes owners after the end of their windows if the table is full, with a few scans in each window.
func (s *Spending) sweepLocked(now time.Time, window time.Duration) {
	const scans = 8
	if s.table.Len() < s.most || now.Sub(s.swept) < window/scans {
		return
	}
	s.swept = now
	s.table.DeleteFunc(func(o *spent) bool { return !now.Before(o.until) })
}
