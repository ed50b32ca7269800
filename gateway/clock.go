package gateway

import "time"

// A storeClock tells the time by the store's clock: what that said once, and how long that is ago by this process' own, which
// is monotonic. The store's is the one that leases, questions and runs are measured by, on every replica alike.
type storeClock struct {
	said, at time.Time
	own      func() time.Time
}

// clockAt is the clock of a store that has just said what time it is.
func (g *Gateway) clockAt(said time.Time) storeClock {
	return storeClock{said: said, at: g.o.Now(), own: g.o.Now}
}

func (c storeClock) now() time.Time { return c.said.Add(c.own().Sub(c.at)) }
