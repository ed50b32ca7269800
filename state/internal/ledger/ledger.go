package ledger

import (
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A Thread is the entry of a thread.
type Thread struct {
	Key  state.Key
	Size int64 // all stored bytes, with its log
	// LogEnd is the end of the oldest run in the log that is over; zero: there is none.
	LogEnd time.Time
	// Used is the time of its last change, and Asks the expiry of its open question, zero without one.
	Used, Asks time.Time
	Live       bool // a run is live
}

// A Ledger has the entries of one store. It is safe for concurrent use.
type Ledger struct {
	mu         sync.Mutex
	accounts   map[state.Key]*account
	principals map[string]*owner
	total      int64
	logs       Queue[*account] // threads with a log that can be trimmed, the oldest first
	idle       Queue[*account] // threads that can be removed, the least recently used first
	asking     Queue[*account] // threads with an open question, the first to expire first
}

// New returns an empty ledger.
func New() *Ledger {
	return &Ledger{
		accounts: map[state.Key]*account{}, principals: map[string]*owner{},
		logs: NewQueue((*account).inLogs),
		idle: NewQueue((*account).inRest), asking: NewQueue((*account).inRest),
	}
}

// An owner is a principal, with the size of its threads.
type owner struct {
	size int64
	idle Queue[*account] // its threads that can be removed, the least recently used first
}

// An account is a thread with its places in the queues.
type account struct {
	Thread

	log, rest, own Place[*account]
}

func (a *account) inLogs() *Place[*account] { return &a.log }
func (a *account) inRest() *Place[*account] { return &a.rest }
func (a *account) inOwn() *Place[*account]  { return &a.own }

// Put sets the entry of a thread.
func (l *Ledger) Put(t Thread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[t.Key]
	if a == nil {
		a = &account{Thread: Thread{Key: t.Key}}
		l.accounts[t.Key] = a
	}
	l.add(a, t.Size-a.Size)
	a.Thread = t
	l.enqueue(a)
}

// Grow adds n bytes to a thread; n may be negative. Unknown threads are ignored.
func (l *Ledger) Grow(key state.Key, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.accounts[key]; a != nil {
		l.add(a, n)
	}
}

// Remove removes the entry of a thread.
func (l *Ledger) Remove(key state.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[key]
	if a == nil {
		return
	}
	l.add(a, -a.Size)
	a.log.Leave()
	a.rest.Leave()
	a.own.Leave()
	l.forget(key.Principal)
	delete(l.accounts, key)
}

// Adjust adds n bytes that belong to no thread; n may be negative.
func (l *Ledger) Adjust(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total += n
}

// Total returns the number of bytes of the store.
func (l *Ledger) Total() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// Principal returns the number of bytes of a principal's threads.
func (l *Ledger) Principal(id string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.principals[id]; o != nil {
		return o.size
	}
	return 0
}

// FirstOf returns the idle thread of a principal to remove first, except spared, and whether only the oldest run of
// its log is removed. Threads with an open question stay. False: there is none.
func (l *Ledger) FirstOf(principal string, now time.Time, spared state.Key) (key state.Key, log, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire(now)
	if o := l.principals[principal]; o != nil {
		if a, ok := o.idle.firstBut(named(spared)); ok {
			return a.Key, !a.LogEnd.IsZero(), true
		}
	}
	return state.Key{}, false, false
}

// expire makes threads idle when their question has expired. The caller holds mu.
func (l *Ledger) expire(now time.Time) {
	for {
		a, asks, ok := l.asking.First()
		if !ok || asks.After(now) {
			return
		}
		a.Asks = time.Time{}
		l.enqueue(a)
	}
}

// Size returns the number of bytes of a thread.
func (l *Ledger) Size(key state.Key) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.accounts[key]; a != nil {
		return a.Size
	}
	return 0
}

// First returns the thread to remove first at a time, except spared, and whether only the oldest run of its log is
// removed. False: there is none.
func (l *Ledger) First(now time.Time, spared state.Key) (key state.Key, log, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, _, ok := l.logs.First(); ok {
		return a.Key, true, true
	}
	l.expire(now)
	for _, q := range []*Queue[*account]{&l.idle, &l.asking} {
		if a, ok := q.firstBut(named(spared)); ok {
			return a.Key, false, true
		}
	}
	return state.Key{}, false, false
}

// named returns a function that reports whether an account is that of a thread.
func named(key state.Key) func(*account) bool {
	return func(a *account) bool { return a.Key == key }
}

func (l *Ledger) add(a *account, n int64) {
	a.Size += n
	l.total += n
	l.owner(a.Key.Principal).size += n
	l.forget(a.Key.Principal)
}

// owner returns the owner of threads, made if there is none. The caller holds mu.
func (l *Ledger) owner(principal string) *owner {
	o := l.principals[principal]
	if o == nil {
		o = &owner{idle: NewQueue((*account).inOwn)}
		l.principals[principal] = o
	}
	return o
}

// forget removes an owner without threads. The caller holds mu.
func (l *Ledger) forget(principal string) {
	if o := l.principals[principal]; o != nil && o.size == 0 && o.idle.Len() == 0 {
		delete(l.principals, principal)
	}
}

// enqueue gives an account its places.
func (l *Ledger) enqueue(a *account) {
	if a.LogEnd.IsZero() {
		a.log.Leave()
	} else {
		a.log.Join(&l.logs, a, a.LogEnd)
	}
	switch {
	case a.Live:
		a.rest.Leave()
		a.own.Leave()
	case a.Asks.IsZero():
		a.rest.Join(&l.idle, a, a.Used)
		a.own.Join(&l.owner(a.Key.Principal).idle, a, a.Used)
	default:
		a.rest.Join(&l.asking, a, a.Asks)
		a.own.Leave()
	}
}
