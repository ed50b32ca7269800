package limit

import (
	"container/list"
	"sync"
	"time"
)

// Tokens counts what each owner spends within a window of time, which begins with the first that it spends and is followed by
// another when it is over. What is spent is known afterwards, so an owner may have spent more than it may: it then waits for its next
// window. Nil has no limit. It is safe for concurrent use.
type Tokens struct {
	most   int64
	window time.Duration
	now    func() time.Time

	mu     sync.Mutex
	owners map[string]*list.Element // of order
	order  list.List                // of *spender, the one whose window began last at the front
}

type spender struct {
	name  string
	until time.Time
	spent int64
}

// NewTokens returns a table for most in each window, by the clock now. It is nil if one of the two is not positive.
func NewTokens(most int64, window time.Duration, now func() time.Time) *Tokens {
	if most <= 0 || window <= 0 {
		return nil
	}
	return &Tokens{most: most, window: window, now: now, owners: map[string]*list.Element{}}
}

// Spend counts n of the owner.
func (t *Tokens) Spend(name string, n int64) {
	if t == nil || n <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.forgetLocked(now)
	at := t.owners[name]
	if at == nil {
		at = t.order.PushFront(&spender{name: name, until: now.Add(t.window)})
		t.owners[name] = at
		t.forgetLocked(now)
	}
	at.Value.(*spender).spent += n
}

// Wait returns how long an owner that has spent more than it may has to wait, and 0 for others.
func (t *Tokens) Wait(name string) time.Duration {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.forgetLocked(now)
	at := t.owners[name]
	if at == nil {
		return 0
	}
	s := at.Value.(*spender)
	if s.spent <= t.most {
		return 0
	}
	return s.until.Sub(now)
}

// forgetLocked forgets the owners whose windows are over, and the oldest if there are too many.
func (t *Tokens) forgetLocked(now time.Time) {
	for last := t.order.Back(); last != nil; last = t.order.Back() {
		oldest := last.Value.(*spender)
		if t.order.Len() <= maxOwners && now.Before(oldest.until) {
			return
		}
		t.order.Remove(last)
		delete(t.owners, oldest.name)
	}
}
