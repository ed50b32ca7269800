package redisstore

import (
	"cmp"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrForeign is what Open fails with where another program has a key of the store's.
var ErrForeign = errForeign

// Patient returns options with a generous limit for an exchange, as a loaded machine needs, and without packing
// unless the test asks for it. Tests that are not about a hanging Redis use them: otherwise they would show the
// speed of the machine.
func Patient(o Options) Options {
	o.timeout = time.Minute
	o.packDelay = cmp.Or(o.packDelay, time.Hour)
	return o
}

// ClientOf returns a client of the Redis at an address of a store's, closed with the test.
func ClientOf(t *testing.T, address string) redis.UniversalClient {
	t.Helper()
	o, err := parseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewUniversalClient(o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return c
}

// Packing returns options with which the log of a run is packed as soon as it is over.
func Packing(o Options) Options {
	o.packDelay = -1
	return o
}

// PackDelay is how long a store waits that packs soon.
const PackDelay = time.Millisecond

// PackingSoon returns options with which it is packed a moment later.
func PackingSoon(o Options) Options {
	o.packDelay = PackDelay
	return Patient(o)
}
