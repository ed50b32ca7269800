package state

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Memory is the embedded [Store]: threads live as long as the process. It does what a store on a server does, in
// the same steps, so that nothing above it can tell the difference but by a restart.
//
// It has no goroutine: what expired is swept when something else happens, and is unknown before it is swept.
type Memory struct {
	o      MemoryOptions
	closed chan struct{}

	mu      sync.Mutex // taken after a room's, never before
	rooms   map[Key]*room
	named   map[Key][]*room // by principal and id, with no agent
	owned   map[string]map[*room]struct{}
	live    map[*room]struct{}
	due     deadlines
	dead    []*room // gone lately, oldest first: their logs are still read
	floor   uint64  // no thread forgotten had a higher fence
	leaving sync.Once
}

// MemoryOptions say how long a [Memory] keeps what. The zero value is good.
type MemoryOptions struct {
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
	// LogTTL is how long the log of a run is kept after its end; 0 means an hour.
	LogTTL time.Duration
	// ThreadTTL is how long a thread is kept after its last step; 0 means 30 days.
	ThreadTTL time.Duration
}

var (
	_ Store = (*Memory)(nil)
	_ Facts = (*room)(nil)
)

var errClosed = errors.New("state: the store is closed")

// NewMemory returns an empty store.
func NewMemory(o MemoryOptions) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.LogTTL = cmp.Or(o.LogTTL, time.Hour)
	o.ThreadTTL = cmp.Or(o.ThreadTTL, 30*24*time.Hour)
	return &Memory{
		o: o, closed: make(chan struct{}),
		rooms: map[Key]*room{}, named: map[Key][]*room{}, owned: map[string]map[*room]struct{}{}, live: map[*room]struct{}{},
	}
}

// Ping reports whether the store is open.
func (m *Memory) Ping(context.Context) error {
	select {
	case <-m.closed:
		return errClosed
	default:
		return nil
	}
}

// Close ends the store's tails. What it holds is not let go: a run that is still ending can commit.
func (m *Memory) Close() error {
	m.leaving.Do(func() { close(m.closed) })
	return nil
}

// A room is one thread with what is kept beside it.
type room struct {
	key Key
	// thread is replaced as a whole by every step, and may be read without the lock. At revision 0 the thread
	// does not exist yet.
	thread atomic.Pointer[Thread]

	mu       sync.Mutex
	born     uint64           // the fence it was made with
	gone     bool             // taken off the books: whoever waited for mu must look the key up again
	messages []*StoredMessage // by slot, nil if it is empty
	known    map[string]Place
	state    json.RawMessage
	past     History
	runs     []Run // before the newest, newest first
	tokens   map[string]Token
	signals  *signals // of the live attempt; nil if nobody holds it
	log      log
	turns    waker // of those who wait for the thread: when nothing is live, a place is left, or the room is gone

	replaced     []replaced // oldest first
	replacedSize int        // bytes
	dropped      int64      // the revision that took away the newest message of those that are not kept

	slot int // in Memory.due, -1 if not; guarded by Memory.mu
	at   time.Time
}

// Known, Token and Messages are [Facts] of the thread; the room is locked.
func (r *room) Known(id string) (Place, bool) {
	place, ok := r.known[id]
	return place, ok
}

// Token looks a token up.
func (r *room) Token(id string) (Token, bool) {
	t, ok := r.tokens[id]
	return t, ok
}

// Messages yields the conversation, the last message first.
func (r *room) Messages() iter.Seq[StoredMessage] {
	return func(yield func(StoredMessage) bool) {
		for _, m := range slices.Backward(r.messages) {
			if m != nil && !yield(*m) {
				return
			}
		}
	}
}

// enter returns the room of a key, locked, or nil if there is none. With make it is made: with a thread at
// revision 0, that leave takes away again if it is still.
func (m *Memory) enter(key Key, make bool) *room {
	for {
		m.mu.Lock()
		r := m.rooms[key]
		if r == nil && make {
			r = &room{key: key, slot: -1}
			r.thread.Store(&Thread{Key: key})
			m.rooms[key] = r
		}
		m.mu.Unlock()
		if r == nil {
			return nil
		}
		r.mu.Lock()
		if m.expired(r) {
			m.forget(r)
		}
		if !r.gone {
			return r
		}
		r.mu.Unlock()
	}
}

// existing is enter for threads that exist.
func (m *Memory) existing(key Key) (*room, error) {
	r := m.enter(key, false)
	if r == nil {
		return nil, ErrUnknownThread
	}
	if r.thread.Load().Rev == 0 {
		m.leave(r)
		return nil, ErrUnknownThread
	}
	return r, nil
}

// leave unlocks the room.
func (m *Memory) leave(r *room) {
	if r.thread.Load().Rev == 0 && !r.gone {
		r.gone = true
		m.mu.Lock()
		delete(m.rooms, r.key)
		m.mu.Unlock()
	}
	r.mu.Unlock()
}

// held is enter for the owner of a lease.
func (m *Memory) held(l *Lease) (*room, error) {
	r, err := m.existing(l.Key)
	if err != nil {
		return nil, ErrLeaseLost
	}
	if !r.thread.Load().HeldBy(l) {
		m.leave(r)
		return nil, ErrLeaseLost
	}
	return r, nil
}

// write makes a step come true. The room is locked.
func (m *Memory) write(r *room, s *Step, now time.Time) {
	born := r.thread.Load().Rev == 0
	if born {
		r.born = s.Thread.Fence
	}
	r.remember(s)
	r.converse(s)
	if r.tokens == nil && len(s.Tokens) > 0 {
		r.tokens = map[string]Token{}
	}
	for _, token := range s.Tokens {
		r.tokens[token.Interrupt.ID] = token
	}
	r.log.append(s.Frames)
	if s.Thread.Live == nil {
		r.log.end(now, s.Thread.Rev)
		r.signals = nil
		r.turns.wakeAll()
	}
	r.thread.Store(s.Thread)
	m.index(r, born)
}

// converse makes what a step says of the conversation come true. The thread is still the one before it.
func (r *room) converse(s *Step) {
	for _, id := range s.Left {
		place := r.known[id]
		r.replace(s, place.Slot)
		r.messages[place.Slot] = nil
		place.Left = true
		r.known[id] = place
	}
	if r.known == nil && len(s.Append) > 0 {
		r.known = map[string]Place{}
	}
	for _, m := range s.Append {
		for len(r.messages) <= m.Slot {
			r.messages = append(r.messages, nil)
		}
		r.replace(s, m.Slot)
		r.messages[m.Slot] = &m
		r.known[m.ID] = m.place()
	}
	r.messages = r.messages[:s.Thread.Slots]
}

// index keeps the books in step with the room, which is locked.
func (m *Memory) index(r *room, born bool) {
	t := r.thread.Load()
	m.mu.Lock()
	defer m.mu.Unlock()
	if born {
		name := Key{Principal: r.key.Principal, ID: r.key.ID}
		m.named[name] = append(m.named[name], r)
		if m.owned[r.key.Principal] == nil {
			m.owned[r.key.Principal] = map[*room]struct{}{}
		}
		m.owned[r.key.Principal][r] = struct{}{}
	}
	if t.Live != nil {
		m.live[r] = struct{}{}
		if r.slot >= 0 {
			heap.Remove(&m.due, r.slot)
		}
		return
	}
	delete(m.live, r)
	r.at = m.next(r)
	if r.slot < 0 {
		heap.Push(&m.due, r)
	} else {
		heap.Fix(&m.due, r.slot)
	}
}

// snapshot is the thread as it is handed out: appends do not make a new one, so the newest frame is the log's
// to say.
func (r *room) snapshot() *Thread {
	t := *r.thread.Load()
	t.Last = r.log.last
	return &t
}

// signals delivers words to an attempt, each at most once: so the channel never fills up.
type signals struct {
	ch   chan Signal
	sent map[Signal]bool
}

func newSignals() *signals {
	return &signals{ch: make(chan Signal, 4), sent: map[Signal]bool{}}
}

func (s *signals) tell(word Signal) {
	if s == nil || s.sent[word] {
		return
	}
	select {
	case s.ch <- word:
		s.sent[word] = true
	default: // more words than there are: nobody listens
	}
}
