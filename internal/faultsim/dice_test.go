package faultsim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// A dice makes the decisions of a seed. Each is known by its actor and the number of the actor's call, so the order in
// which goroutines run decides nothing.
type dice struct {
	seed uint64

	mu    sync.Mutex
	calls map[string]int
}

// next returns the source for the next call of an actor.
func (d *dice) next(actor string) *rand.Rand {
	d.mu.Lock()
	if d.calls == nil {
		d.calls = map[string]int{}
	}
	d.calls[actor]++
	n := d.calls[actor]
	d.mu.Unlock()
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s#%d", actor, n) // a hash takes everything
	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

// chance reports whether an event with a probability in percent happens.
func chance(r *rand.Rand, percent float64) bool { return r.Float64()*100 < percent }

// between returns a duration.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)+1))
}

// A fault is what a call meets.
type fault uint8

const (
	none   fault = iota
	before       // it never arrives
	after        // its answer is lost
)

// anyFault draws before or after.
func anyFault(r *rand.Rand) fault {
	if r.IntN(2) == 0 {
		return before
	}
	return after
}
