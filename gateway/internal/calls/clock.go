package calls

import "time"

// A Clock follows the store's clock: it adds the time elapsed on the monotonic clock to a time of the store.
type Clock struct {
	base, at time.Time
	local    func() time.Time
}

// NewClock returns the clock of a store that reports stored as its current time; local is this process' clock.
func NewClock(stored time.Time, local func() time.Time) Clock {
	return Clock{base: stored, at: local(), local: local}
}

// Now returns the time by the store's clock.
func (c Clock) Now() time.Time { return c.base.Add(c.local().Sub(c.at)) }
