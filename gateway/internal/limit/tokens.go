package limit

import (
	"time"

	"github.com/agui-gateway/gateway/internal/bounded"
)

// Tokens counts the tokens that each owner spends in a window of time. A window begins with the first use, or the first
// after the previous window. Usage is known afterwards, so an owner may exceed its limit: it then has to wait for its
// next window. Nil has no limit. It is safe for concurrent use.
type Tokens struct {
	most   int64
	window time.Duration
	now    func() time.Time
	table  *bounded.Spending
}

// NewTokens returns a table for most in each window, by the clock now. It is nil if one of the two is not positive.
func NewTokens(most int64, window time.Duration, now func() time.Time) *Tokens {
	if most <= 0 || window <= 0 {
		return nil
	}
	return &Tokens{most: most, window: window, now: now, table: bounded.NewSpending(maxOwners)}
}

// Spend counts n of the owner.
func (t *Tokens) Spend(name string, n int64) {
	if t != nil {
		t.table.Add(name, n, t.now(), t.window)
	}
}

// Wait returns how long an owner over its limit has to wait, and 0 for others.
func (t *Tokens) Wait(name string) time.Duration {
	if t == nil {
		return 0
	}
	now := t.now()
	if spent, until := t.table.Spent(name, now); spent > t.most {
		return until.Sub(now)
	}
	return 0
}
