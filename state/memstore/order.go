package memstore

import (
	"cmp"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// An order has the threads of one principal by when they were changed, oldest first, so that a page of them costs
// what it shows. It is guarded by the backend's lock.
type order struct {
	places []place
	empty  int // how many of places have been left
}

// A place is where the order has a thread. One that the thread has left stays until there are many of them: a
// thread that is changed moves to the end, which costs the same in a long order as in a short one.
type place struct {
	at    int64  // when the thread was changed, in nanoseconds
	entry *entry // nil if it has left
}

// put puts a thread where it belongs, and takes it from where it was.
func (o *order) put(e *entry) {
	at := e.thread.Load().UpdatedAt.UnixNano()
	if e.placed && e.place == at {
		return
	}
	o.remove(e)
	e.place, e.placed = at, true
	if n := len(o.places); n == 0 || o.places[n-1].at <= at {
		o.places = append(o.places, place{at, e})
		return
	}
	o.places = slices.Insert(o.places, o.find(at+1), place{at, e}) // the clock was set back
}

// remove takes a thread out of the order, if it is in it.
func (o *order) remove(e *entry) {
	if !e.placed {
		return
	}
	e.placed = false
	for i := o.find(e.place); i < len(o.places) && o.places[i].at == e.place; i++ {
		if o.places[i].entry == e {
			o.places[i].entry = nil
			o.empty++
			break
		}
	}
	if o.empty > mostEmpty && o.empty > len(o.places)/2 {
		o.places = slices.DeleteFunc(o.places, func(p place) bool { return p.entry == nil })
		o.empty = 0
	}
}

// mostEmpty is how many places that were left a short order may have.
const mostEmpty = 64

// none reports whether nothing is in the order.
func (o *order) none() bool { return len(o.places) == o.empty }

// find returns the index of the first place that is not before at.
func (o *order) find(at int64) int {
	i, _ := slices.BinarySearchFunc(o.places, at, func(p place, at int64) int { return cmp.Compare(p.at, at) })
	return i
}

// A listed is a thread with its place in a listing.
type listed struct {
	entry *entry
	at    state.Cursor
}

// newest returns about count of the threads that a query selects behind from, in the order of a listing; all those
// that were changed at one moment come together. It returns none if there are no more.
func (o *order) newest(q *store.IndexQuery, count int) []listed {
	next := len(o.places)
	if q.From != nil {
		next = o.find(q.From.UpdatedAt.UnixNano() + 1)
	}
	var page []listed
	for next > 0 && len(page) < count {
		moment, at := len(page), o.places[next-1].at
		for ; next > 0 && o.places[next-1].at == at; next-- {
			e := o.places[next-1].entry
			if e == nil || q.Agent != "" && q.Agent != e.key.Agent {
				continue
			}
			// The thread itself may be newer by now: what writes it comes here next.
			c := state.Cursor{UpdatedAt: time.Unix(0, at).UTC(), Agent: e.key.Agent, ID: e.key.ID}
			if q.From == nil || c.Compare(*q.From) > 0 {
				page = append(page, listed{e, c})
			}
		}
		slices.SortFunc(page[moment:], func(a, b listed) int { return a.at.Compare(b.at) })
	}
	return page
}
