package limit

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxOwners is how many owners a table remembers. Whoever was seen longest ago is forgotten beyond that, and begins anew.
const maxOwners = 10_000

// Rates limits how often each owner may do something: so many times a second, and a burst at once after a pause. Nil has no limit. It is
// safe for concurrent use.
type Rates struct {
	limit rate.Limit
	burst int
	// full is how long an owner has to pause to have its whole burst again, as one who was never seen has.
	full time.Duration
	now  func() time.Time

	mu     sync.Mutex
	owners map[string]*list.Element // of order
	order  list.List                // of *owner, the one seen last at the front
}

type owner struct {
	name    string
	seen    time.Time
	limiter *rate.Limiter
}

// NewRates returns a table for perSecond times a second and burst at once, by the clock now. It is nil if one of the two is not positive.
func NewRates(perSecond, burst int, now func() time.Time) *Rates {
	if perSecond <= 0 || burst <= 0 {
		return nil
	}
	return &Rates{
		limit: rate.Limit(perSecond), burst: burst, now: now, owners: map[string]*list.Element{},
		full: time.Duration(float64(burst) / float64(perSecond) * float64(time.Second)),
	}
}

// Take counts one time, and returns 0, if the owner may. Otherwise it counts nothing and returns how long the owner has to wait.
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

// ownerLocked returns the owner of a name, as the one seen last, and forgets others.
func (r *Rates) ownerLocked(name string, now time.Time) *owner {
	at := r.owners[name]
	if at == nil {
		at = r.order.PushFront(&owner{name: name, limiter: rate.NewLimiter(r.limit, r.burst)})
		r.owners[name] = at
	}
	r.order.MoveToFront(at)
	o := at.Value.(*owner)
	o.seen = now
	for last := r.order.Back(); last != at; last = r.order.Back() {
		oldest := last.Value.(*owner)
		if r.order.Len() <= maxOwners && now.Sub(oldest.seen) < r.full {
			break
		}
		r.order.Remove(last)
		delete(r.owners, oldest.name)
	}
	return o
}
