package store

import (
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// An owner is a lease that this store has handed out, as far as it knows.
type owner struct {
	lease   *state.Lease
	signals *signals

	mu    sync.Mutex
	base  *Record   // the thread as this attempt last saw or wrote it
	tied  bool      // it was, and was not untied yet
	stale time.Time // long after the lease is over, by this machine's clock
}

// An attemptKey names an attempt: the digest of its thread's key, and its fence.
type attemptKey struct {
	thread string
	fence  uint64
}

// digestOf returns the digest of the lease's thread.
func digestOf(l *state.Lease) string {
	if l.Thread == "" { // not made by a store
		return l.Key.Digest()
	}
	return l.Thread
}

// own returns the lease of a thread's live attempt, which is this store's.
func (s *store) own(r *Record, ttl time.Duration) *state.Lease {
	live, at := r.Thread.Live, attemptKey{r.Thread.Key.Digest(), r.Thread.Live.Fence}
	s.mu.Lock()
	own := s.owners[at]
	if own == nil || own.lease.Attempt != live.Attempt {
		own = &owner{signals: newSignals(), tied: live.Tied}
		own.lease = &state.Lease{Key: r.Thread.Key, Attempt: live.Attempt, Fence: live.Fence, Signals: own.signals.ch,
			Thread: at.thread}
		s.owners[at] = own
	}
	s.mu.Unlock()
	own.remember(r)
	own.renewed(ttl)
	if live.Stopped {
		own.signals.send(state.SignalStop)
	}
	return own.lease
}

// owner returns the owner of a lease in this process, or nil.
func (s *store) owner(l *state.Lease) *owner {
	at := attemptKey{digestOf(l), l.Fence}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owners[at]
}

// disown forgets a lease. Readers follow the backend from here on.
func (s *store) disown(l *state.Lease) {
	at := attemptKey{digestOf(l), l.Fence}
	s.mu.Lock()
	if s.owners[at] != nil {
		delete(s.owners, at)
		delete(s.shown, at.thread)
	}
	s.mu.Unlock()
}

// handOver is disown for a lease of a thread that another process continues.
func (s *store) handOver(l *state.Lease) {
	s.disown(l)
	if s.dropUnread(digestOf(l)) && s.follower != nil {
		s.refresh(digestOf(l))
	}
}

// ended is disown for a lease of an ended run.
func (s *store) ended(l *state.Lease) {
	s.disown(l)
	s.endFeed(digestOf(l))
}

// lost is disown for a lease that somebody else has taken away.
func (s *store) lost(l *state.Lease) {
	if own := s.owner(l); own != nil && own.lease.Attempt == l.Attempt {
		own.signals.send(state.SignalLost)
		s.handOver(l)
	}
}

// disownStale forgets leases that were not given back.
func (s *store) disownStale() {
	now := time.Now()
	s.mu.Lock()
	var stale []*state.Lease
	for _, own := range s.owners {
		own.mu.Lock()
		if now.After(own.stale) {
			stale = append(stale, own.lease)
		}
		own.mu.Unlock()
	}
	s.mu.Unlock()
	for _, l := range stale {
		s.handOver(l)
	}
}

// deliverSignal tells an attempt something, if it is this store's.
func (s *store) deliverSignal(at attemptKey, signal state.Signal) {
	s.mu.Lock()
	own := s.owners[at]
	s.mu.Unlock()
	switch {
	case own == nil:
	case signal == state.SignalLost:
		s.lost(own.lease)
	default:
		own.signals.send(signal)
	}
}

// known is what the owner has of its thread; nil if it has nothing, or o is nil.
func (o *owner) known() *Record {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.base
}

// seen returns the newest revision that the owner has seen, and the incarnation of its log.
func (o *owner) seen() (revision int64, born string) {
	if base := o.known(); base != nil {
		return base.Thread.Rev, base.Born
	}
	return 0, ""
}

func (o *owner) remember(r *Record) {
	if o == nil {
		return
	}
	base := *r
	base.Facts = nil // they hold on to the request that they were read for
	o.mu.Lock()
	defer o.mu.Unlock()
	o.base = &base
}

func (o *owner) renewed(ttl time.Duration) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stale = time.Now().Add(10*min(ttl, state.MaxTTL/10) + time.Minute)
}

// applyFlags tells the attempt what the backend has noted for it: the event about it may have been missed.
func (o *owner) applyFlags(told state.Flags) {
	if o == nil {
		return
	}
	o.mu.Lock()
	untied := o.tied && !told.Tied
	o.tied = told.Tied
	o.mu.Unlock()
	if untied {
		o.signals.send(state.SignalUntie)
	}
	if told.HungUp {
		o.signals.send(state.SignalHungUp)
	}
	if told.Stopped {
		o.signals.send(state.SignalStop)
	}
}

// signals delivers signals to an attempt, each at most once: so the channel never fills up.
type signals struct {
	ch chan state.Signal

	mu   sync.Mutex
	sent map[state.Signal]bool
}

func newSignals() *signals {
	return &signals{ch: make(chan state.Signal, 4), sent: map[state.Signal]bool{}}
}

func (s *signals) send(signal state.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[signal] {
		return
	}
	select {
	case s.ch <- signal:
		s.sent[signal] = true
	default: // more signals than there are: they are not received
	}
}
