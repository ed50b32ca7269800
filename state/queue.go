package state

import (
	"context"
	"slices"
	"time"
)

// A Queue keeps the requests that wait for a thread in the order in which the store saw them, over all replicas. A
// request with a [Wait] takes its place by [Admitter.Begin], and gives it up in the transition that begins its run.
type Queue interface {
	// Await keeps the place of a ticket until its turn seems to have come: nothing is live on the thread, and no valid
	// place is before it. It returns as well if the place is gone; Begin decides either way. ErrUnknownThread: the
	// thread is gone, and its queue with it.
	Await(ctx context.Context, key Key, ticket string, ttl time.Duration) error
	// Hold takes the place before all others, so that no waiting request begins until it is left or expires.
	Hold(ctx context.Context, key Key, ticket string, ttl time.Duration) error
	// Leave gives a place up. One that is gone already is no error.
	Leave(ctx context.Context, key Key, ticket string) error
}

// A Ticket is a place in the queue of a thread.
type Ticket struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"` // the place is given up then, unless it is renewed
}

// A Wait says how a request waits while its thread is busy.
type Wait struct {
	Ticket string        // unguessable; one per request
	TTL    time.Duration // a place that is not renewed for so long is given up: whoever kept it has died
	Limit  int           // how many requests may wait for the thread, at all replicas together; 0: any number
}

// behind reports whether a place before ticket is valid at now.
func (t *Thread) behind(ticket string, now time.Time) bool {
	for _, place := range t.Queue {
		if place.ID == ticket {
			return false
		}
		if now.Before(place.Until) {
			return true
		}
	}
	return false
}

// Turn reports whether the holder of ticket should ask again what its request means: its turn has come, or its place
// is gone.
func (t *Thread) Turn(ticket string, now time.Time) bool {
	return place(t.Queue, ticket) < 0 || t.Live == nil && !t.behind(ticket, now)
}

// place returns the index of a ticket in q, -1 if it is not there.
func place(q []Ticket, ticket string) int {
	return slices.IndexFunc(q, func(t Ticket) bool { return t.ID == ticket })
}

// Enqueue returns q with a place for w at its end, or with the one it has, renewed. Places that have expired make room
// for it; false says that there is none.
func Enqueue(q []Ticket, w *Wait, now time.Time) ([]Ticket, bool) {
	until := now.Add(w.TTL)
	if place(q, w.Ticket) >= 0 {
		return Renew(q, w.Ticket, until), true
	}
	q = slices.DeleteFunc(slices.Clone(q), func(t Ticket) bool { return !now.Before(t.Until) })
	if w.Limit > 0 && len(q) >= w.Limit {
		return nil, false
	}
	return append(q, Ticket{ID: w.Ticket, Until: until}), true
}

// Renew returns q with the place of a ticket, if it has one, lasting until then. A place that has expired is good again
// if it was not needed.
func Renew(q []Ticket, ticket string, until time.Time) []Ticket {
	q = slices.Clone(q)
	if i := place(q, ticket); i >= 0 {
		q[i].Until = until
	}
	return q
}

// Dequeue returns q without the place of a ticket.
func Dequeue(q []Ticket, ticket string) []Ticket {
	return slices.DeleteFunc(slices.Clone(q), func(t Ticket) bool { return t.ID == ticket })
}
