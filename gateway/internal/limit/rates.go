package limit

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/agui-gateway/gateway/internal/bounded"
)

// maxOwners bounds the owners in a table. The least recently seen is evicted, and starts with a full burst again.
const maxOwners = 10_000

// Rates limits how often each owner may act per second, and in a burst. Nil has no limit. It is safe for concurrent
// use.
type Rates struct {
	limit rate.Limit
	burst int
	// full is the pause after which an owner has its whole burst again, like an unknown one.
	full time.Duration
	now  func() time.Time

	mu     sync.Mutex
	owners *bounded.Table[string, *owner]
}

type owner struct {
	seen    time.Time
	limiter *rate.Limiter
}

// NewRates returns a table for perSecond and burst, by the clock now. It is nil unless both are positive.
func NewRates(perSecond, burst int, now func() time.Time) *Rates {
	if perSecond <= 0 || burst <= 0 {
		return nil
	}
	return &Rates{
		limit: rate.Limit(perSecond), burst: burst, now: now,
		owners: bounded.New[string, *owner](maxOwners, math.MaxInt64),
		full:   time.Duration(float64(burst) / float64(perSecond) * float64(time.Second)),
	}
}

// Take counts one action and returns 0 if it is allowed. Otherwise it returns how long the owner has to wait.
func (r *Rates) Take(name string) time.Duration {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	taken := r.ownerLocked(name, now).limiter.ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

// ownerLocked returns the owner of a name, seen now, and removes idle ones.
func (r *Rates) ownerLocked(name string, now time.Time) *owner {
	o, ok := r.owners.Use(name)
	if !ok {
		o = &owner{limiter: rate.NewLimiter(r.limit, r.burst)}
		r.owners.Put(name, o, 0)
	}
	o.seen = now
	for {
		idle, last, _ := r.owners.Lowest()
		if now.Sub(last.seen) < r.full {
			return o
		}
		r.owners.Delete(idle)
	}
}
