package calls

import "time"

// A Clock tells the time by the store's clock, by which all replicas measure leases, questions and runs: it adds to a time of
// the store what has passed since by this process' own clock, which is monotonic.
type Clock struct {
	said, at time.Time
	own      func() time.Time
}

// NewClock returns the clock of a store that says now that it is said; own is this process' clock.
func NewClock(said time.Time, own func() time.Time) Clock {
	return Clock{said: said, at: own(), own: own}
}

// Now returns the time by the store's clock.
func (c Clock) Now() time.Time { return c.said.Add(c.own().Sub(c.at)) }
