package redisstore

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// An owner is a lease that this process holds, as far as it knows.
type owner struct {
	lease   *state.Lease
	signals *signals

	mu    sync.Mutex
	base  *loaded   // the thread as this attempt last saw or wrote it
	tied  bool      // it was, and nobody has untied it yet
	stale time.Time // long after the lease is over, by this machine's clock
}

// A post is where signals are delivered: an attempt of a thread.
type post struct {
	slot  slot
	fence uint64
}

func postOf(l *state.Lease) post { return post{slotOf(l.Key), l.Fence} }

// own returns the lease of a thread's live attempt, which is this process'.
func (s *Store) own(l *loaded, ttl time.Duration) *state.Lease {
	live, at := l.thread.Live, post{slotOf(l.thread.Key), l.thread.Live.Fence}
	s.mu.Lock()
	own := s.owners[at]
	if own == nil || own.lease.Attempt != live.Attempt {
		own = &owner{signals: newSignals(), tied: live.Tied}
		own.lease = &state.Lease{Key: l.thread.Key, Attempt: live.Attempt, Fence: live.Fence, Signals: own.signals.ch}
		if s.owners[at] == nil {
			s.owned[at.slot]++
		}
		s.owners[at] = own
	}
	s.mu.Unlock()
	own.remember(l)
	own.renewed(ttl)
	if live.Stopped {
		own.signals.tell(state.SignalStop)
	}
	return own.lease
}

// owner returns what is known of a lease, nil if it is nobody's here.
func (s *Store) owner(l *state.Lease) *owner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owners[postOf(l)]
}

// owns reports whether an attempt on the thread is this process'.
func (s *Store) owns(h slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owned[h] > 0
}

// disown forgets a lease. Readers follow the store from here on.
func (s *Store) disown(l *state.Lease) {
	at := postOf(l)
	s.mu.Lock()
	if s.owners[at] != nil {
		delete(s.owners, at)
		if s.owned[at.slot]--; s.owned[at.slot] == 0 {
			delete(s.owned, at.slot)
		}
	}
	f := s.feeds[at.slot]
	s.mu.Unlock()
	if f != nil {
		f.poke()
	}
}

// lost is disown for a lease that somebody else has taken away.
func (s *Store) lost(l *state.Lease) {
	if own := s.owner(l); own != nil && own.lease.Attempt == l.Attempt {
		own.signals.tell(state.SignalLost)
		s.disown(l)
	}
}

// known is what the owner has of its thread.
func (o *owner) known() *loaded {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.base
}

// revision is the newest the owner has seen.
func (o *owner) revision() int64 {
	if base := o.known(); base != nil {
		return base.thread.Rev
	}
	return 0
}

// born is whose log the owner writes.
func (o *owner) born() string {
	if base := o.known(); base != nil {
		return base.born
	}
	return ""
}

func (o *owner) remember(l *loaded) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.base = l
}

func (o *owner) renewed(ttl time.Duration) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stale = time.Now().Add(10*ttl + time.Minute)
}

// heed tells the attempt what the store has noted for it: the message about it may have been missed.
func (o *owner) heed(flags reply) {
	if o == nil || len(flags) == 0 {
		return
	}
	o.mu.Lock()
	untied := o.tied && flags.text(1) == ""
	o.tied = flags.text(1) != ""
	o.mu.Unlock()
	if untied {
		o.signals.tell(state.SignalUntie)
	}
	if flags.text(2) != "" {
		o.signals.tell(state.SignalHungUp)
	}
	if flags.text(0) != "" {
		o.signals.tell(state.SignalStop)
	}
}

// forgetStale lets go of leases that nobody gave back.
func (s *Store) forgetStale() {
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
		s.disown(l)
	}
}

// listen delivers what others say to attempts of this process, until the subscription is closed.
func (s *Store) listen() {
	for message := range s.subscription.Channel() {
		_ = s.protect(func() error { // a word that is lost comes with the next renewal
			if text := strings.Fields(message.Payload); len(text) == 3 {
				s.deliver(slot(text[0]), text[1], state.Signal(text[2]))
			}
			return nil
		})
	}
}

func (s *Store) deliver(h slot, fence string, word state.Signal) {
	if word == wordWake {
		s.turns.wake(h)
		return
	}
	n, err := strconv.ParseUint(fence, 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	own := s.owners[post{h, n}]
	s.mu.Unlock()
	switch {
	case own == nil:
	case word == state.SignalLost:
		s.lost(own.lease)
	default:
		own.signals.tell(word)
	}
}

// signals delivers words to an attempt, each at most once: so the channel never fills up.
type signals struct {
	ch chan state.Signal

	mu   sync.Mutex
	sent map[state.Signal]bool
}

func newSignals() *signals {
	return &signals{ch: make(chan state.Signal, 4), sent: map[state.Signal]bool{}}
}

func (s *signals) tell(word state.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[word] {
		return
	}
	select {
	case s.ch <- word:
		s.sent[word] = true
	default: // more words than there are: nobody listens
	}
}
