package gateway

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A reservation is a request's place among the runs that may be live here at once. It is taken before the store is asked,
// because what the store begins has to run, and given back unless a run has begun in it.
type reservation struct {
	g *Gateway
	// What follows is guarded by the gateway's lock.
	held bool
	// from is the run whose place this will be when it has ended; nil if there is none.
	from *attempt
	// given is closed when a place is held after all, for one that waits.
	given chan struct{}
}

// take makes sure that the place is held. The error says why nothing can run now.
func (r *reservation) take() error {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	return r.reserve()
}

// reserve is take with the lock held.
func (r *reservation) reserve() error {
	switch most := r.g.o.Limits.Runs; {
	case r.g.draining():
		return &agui.Error{Code: agui.CodeDraining}
	case r.held:
		return nil
	case most > 0 && r.g.running >= most:
		return &agui.Error{Code: agui.CodeOverloaded}
	}
	r.g.running++
	r.g.wg.Add(1)
	r.held = true
	return nil
}

// ask is take for a request that may wait for a place: those who do get them in the order they came. The channel is
// closed when the place is held. Until then release takes the request off the list.
func (r *reservation) ask() (given <-chan struct{}, err error) {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	r.given = make(chan struct{})
	err = r.reserve()
	switch {
	case err == nil:
		close(r.given)
	case agui.CodeOf(err) != agui.CodeOverloaded:
		return nil, err
	case !slices.Contains(r.g.waiting, r): // or it keeps the place that it has
		r.g.waiting = append(r.g.waiting, r)
	}
	return r.given, nil
}

// follow makes the place of the live run of t this one when it ends, unless another reservation waits for it. The
// channel is closed when it has ended; it is nil if the run is not live here and so has no place to leave.
func (r *reservation) follow(t *state.Thread) <-chan struct{} {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	a := r.g.attempts[t.Key]
	if a == nil || a.intent.Origin != t.Live.Intent.Origin {
		return nil
	}
	if a.successor == nil && r.from == nil && !r.held {
		a.successor, r.from = r, a
	}
	return a.done
}

// use hands the place over to a run, which leaves it when it ends.
func (r *reservation) use() {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	r.held = false
}

// release gives the place back, or up.
func (r *reservation) release() {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	if r.from != nil {
		r.from.successor, r.from = nil, nil
	}
	r.g.waiting = slices.DeleteFunc(r.g.waiting, func(o *reservation) bool { return o == r })
	if r.held {
		r.held = false
		r.g.free()
	}
}

// leavePlace gives the place of a run that has ended to its successor, or back.
func (a *attempt) leavePlace() {
	a.g.mu.Lock()
	defer a.g.mu.Unlock()
	if next := a.successor; next != nil {
		a.successor, next.from, next.held = nil, nil, true
		return
	}
	a.g.free()
}

// free gives a place to whoever has waited longest for one, or back. The lock is held.
func (g *Gateway) free() {
	if len(g.waiting) > 0 {
		next := g.waiting[0]
		g.waiting = g.waiting[1:]
		next.held = true
		close(next.given)
		return
	}
	g.running--
	g.wg.Done()
}
