package gateway

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// A slot is a request's share of the runs that may be live here at once. It is taken before the store is called,
// because a run that the store begins has to start, and released unless a run occupies it. Fields below the first are
// guarded by [Gateway]'s mu.
//
// The request also counts as one of its principal's runs, from its first attempt to get a slot until its verdict or the
// end of its run: waiting in queues counts too.
type slot struct {
	g         *Gateway
	principal string
	held      bool
	counted   bool // as one of the principal's
	// from is the run that hands its slot over when it ends; nil if there is none.
	from *attempt
	// taken is closed when a slot that was waited for is held.
	taken chan struct{}
}

// take ensures that the slot is held, or returns the reason why no run can start now.
func (s *slot) take() error {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	return s.takeLocked()
}

// takeForTakeover is take for an existing run: it ignores the limit of its principal.
func (s *slot) takeForTakeover() error {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	s.counted = s.g.limits.runs.Add(s.principal, 1, 0)
	return s.takeLocked()
}

func (s *slot) takeLocked() error {
	if s.g.draining() {
		return &errcode.Error{Code: errcode.Draining}
	}
	if s.held {
		return nil
	}
	if !s.counted {
		if err := s.g.limits.takeRun(s.principal); err != nil {
			return err
		}
		s.counted = true
	}
	if most := s.g.o.Limits.Runs; most > 0 && s.g.running >= most {
		return limit.Reached(limit.Runs, &errcode.Error{Code: errcode.Overloaded})
	}
	s.g.running++
	s.g.wg.Add(1)
	s.held = true
	return nil
}

// mayWait reports whether the request counts as one of its principal's, so that it may wait in a queue.
func (s *slot) mayWait() bool {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	return s.counted
}

// enqueue is take for a request that may wait: slots are granted in the order of requests. The channel is closed when
// the slot is held. Until then release cancels the wait.
func (s *slot) enqueue() (taken <-chan struct{}, err error) {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	s.taken = make(chan struct{})
	err = s.takeLocked()
	switch {
	case err == nil:
		close(s.taken)
	case errcode.Of(err) != errcode.Overloaded:
		return nil, err
	case !slices.Contains(s.g.waiting, s): // otherwise it waits already, and keeps its turn
		s.g.waiting = append(s.g.waiting, s)
	}
	return s.taken, nil
}

// inherit arranges that this slot is that of the live run of t when the run ends, unless another request does already.
// The channel is closed when the run has ended; it is nil if the run is not live here and so has no slot to leave.
func (s *slot) inherit(t *state.Thread) <-chan struct{} {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	a := s.g.attempts[t.Key]
	if a == nil || a.intent.Origin != t.Live.Intent.Origin {
		return nil
	}
	if a.successor == nil && s.from == nil && !s.held {
		a.successor, s.from = s, a
	}
	return a.done
}

// occupy leaves the slot to a run, which releases it when it ends.
func (s *slot) occupy() {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	s.held, s.counted = false, false
}

func (s *slot) leave() {
	s.release()
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	if s.counted {
		s.counted = false
		s.g.limits.runs.Done(s.principal, 1)
	}
}

// release gives back a slot that is held, or the wait for one. The request still counts as its principal's.
func (s *slot) release() {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	if s.from != nil {
		s.from.successor, s.from = nil, nil
	}
	s.g.waiting = slices.DeleteFunc(s.g.waiting, func(o *slot) bool { return o == s })
	if s.held {
		s.held = false
		s.g.freeSlotLocked()
	}
}

// releaseSlot gives the slot of a run that has ended to the request that superseded it, or back.
func (a *attempt) releaseSlot() {
	a.g.mu.Lock()
	defer a.g.mu.Unlock()
	next := a.successor
	if next == nil {
		a.g.limits.runs.Done(a.lease.Key.Principal, 1)
		a.g.freeSlotLocked()
		return
	}
	if next.counted {
		a.g.limits.runs.Done(a.lease.Key.Principal, 1)
	}
	a.successor, next.from, next.held, next.counted = nil, nil, true, true
}

// freeSlotLocked gives a slot to the request that has waited longest for one, or back.
func (g *Gateway) freeSlotLocked() {
	if len(g.waiting) > 0 {
		next := g.waiting[0]
		g.waiting = g.waiting[1:]
		next.held = true
		close(next.taken)
		return
	}
	g.running--
	g.wg.Done()
}

// Bounds of runs that remote agents request for other runs. The first ends a cycle of remote agents. The second ends a
// branching one, which could still reach 2^16 runs within the first: it counts a chain's runs here while any is live.
const (
	maxHops      = 16
	maxChainRuns = 128
)

var chainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// hopsOf returns a request's number of hops and the name of its chain: a new one without hops.
func hopsOf(header http.Header) (hops int, chain string, err error) {
	text := header.Get(groupchat.HopsHeader)
	if text == "" {
		return 0, rand.Text(), nil
	}
	hops, err = strconv.Atoi(text)
	if err != nil || hops < 1 {
		return 0, "", &errcode.Error{Code: errcode.InvalidInput,
			Err: &agui.FieldError{Path: groupchat.HopsHeader, Problem: "must be a whole number from 1 on"}}
	}
	if hops >= maxHops {
		return 0, "", limit.Reached(limit.Hops, &errcode.Error{Code: errcode.RemoteLoop})
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

// A chain is a run together with the runs that its remote agents request on this replica.
type chain struct {
	live int // with those that are about to be
	runs int // requested by remote agents since the first that is live
}

// enter counts a run with the given hops until leave. It returns false, and counts nothing, if the chain has too many.
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

// undo takes back enter for a run that did not start.
func (c *chains) undo(name string, hops int) {
	c.mu.Lock()
	if hops > 0 {
		c.all[name].runs--
	}
	c.mu.Unlock()
	c.leave(name)
}
