package gateway

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
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

// Bounds of runs that remote agents ask for on behalf of other runs. The first ends a circle of remote agents. The second ends one
// that branches, which within the first could still be 2^16 runs: it counts the runs of one chain on this replica, as long as
// any of them is live.
const (
	maxHops      = 16
	maxChainRuns = 128
)

// chainName is what a chain may be called.
var chainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// hopsOf reads how many remote agents a request came over, and the chain it belongs to: one of its own if it came over none.
func hopsOf(header http.Header) (hops int, chain string, err error) {
	text := header.Get(groupchat.HopsHeader)
	if text == "" {
		return 0, rand.Text(), nil
	}
	hops, err = strconv.Atoi(text)
	if err != nil || hops < 1 {
		return 0, "", &agui.Error{Code: agui.CodeInvalidInput, Err: &agui.FieldError{Path: groupchat.HopsHeader, Problem: "must be a whole number from 1 on"}}
	}
	if hops >= maxHops {
		return 0, "", &agui.Error{Code: agui.CodeRemoteLoop}
	}
	if chain = header.Get(groupchat.ChainHeader); chainName.MatchString(chain) {
		return hops, chain, nil
	}
	return hops, rand.Text(), nil
}

// chains counts the runs of each chain that is live here. The zero value has none.
type chains struct {
	mu  sync.Mutex
	all map[string]*chain
}

// A chain is a run with those that its remote agents ask for, as far as they are here.
type chain struct {
	live int // with those that are about to be
	runs int // that remote agents asked for, since the first that is live
}

// enter counts a run that came over so many hops; leave takes it back. It reports whether there is room for it.
func (c *chains) enter(name string, hops int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.all[name]
	if in == nil {
		in = &chain{}
	}
	if hops > 0 {
		if in.runs >= maxChainRuns {
			return false
		}
		in.runs++
	}
	in.live++
	if c.all == nil {
		c.all = map[string]*chain{}
	}
	c.all[name] = in
	return true
}

// rejoin counts a run that another replica had begun, whatever room there is.
func (c *chains) rejoin(name string) {
	c.enter(name, 0)
}

// leave ends a run.
func (c *chains) leave(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.all[name]
	if in == nil {
		return
	}
	if in.live--; in.live == 0 {
		delete(c.all, name)
	}
}

// undo takes back a run that was not begun.
func (c *chains) undo(name string, hops int) {
	c.mu.Lock()
	if hops > 0 {
		c.all[name].runs--
	}
	c.mu.Unlock()
	c.leave(name)
}
