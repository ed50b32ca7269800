package memstore

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/internal/ledger"
	"github.com/agui-gateway/gateway/state/store"
)

// Options say how long a store keeps what. The zero value is good.
type Options struct {
	// Now is the store's clock; nil means time.Now.
	Now func() time.Time
	// LogTTL is how long the log of a run is kept after its end; 0 means an hour.
	LogTTL time.Duration
	// ThreadTTL is how long a thread is kept after its last transition; 0 means 30 days.
	ThreadTTL time.Duration
	// Limit is the number of bytes of memory that the threads may take, as about counted; 0 means any number. At
	// the limit the oldest logs of runs that ended are removed first, then the least recently changed threads,
	// those with an open question last. If only live threads are left, new runs fail with [state.ErrFull]; the last
	// eighth is reserved for live ones. A live run that exceeds even that is stopped.
	Limit int64
	// Share is the number of bytes that the threads of one principal may take, counted like Limit; 0 means any
	// number. Beyond it the principal's least recently changed idle threads are removed, each after its log. If
	// only live threads and open questions are left, writes fail with [state.ErrStored].
	Share int64
}

// New returns an empty store.
func New(o Options) state.Store {
	return store.New(newBackend(o), store.Options{ThreadTTL: o.ThreadTTL})
}

func newBackend(o Options) *backend {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.LogTTL = min(cmp.Or(o.LogTTL, time.Hour), state.MaxTTL)
	return &backend{
		o: o, threads: map[state.Key]*entry{}, named: map[state.Key][]*entry{},
		owned: map[string]*order{}, live: map[*entry]struct{}{}, books: ledger.New(),
		due:  ledger.NewQueue((*entry).inDue),
		dead: deadLogs{ledger.NewQueue((*entry).inDue), map[state.Key][]*entry{}},
	}
}

// A backend is a [store.Backend] in memory.
type backend struct {
	o     Options
	tell  func(store.Event)
	books *ledger.Ledger // the size of each thread

	mu      sync.Mutex // taken after an entry's, never before
	threads map[state.Key]*entry
	named   map[state.Key][]*entry // by principal and id, with no agent
	owned   map[string]*order
	live    map[*entry]struct{}
	due     ledger.Queue[*entry] // idle entries, by when they are swept
	dead    deadLogs
	floor   uint64 // no thread forgotten had a higher fence
}

var _ store.Backend = (*backend)(nil)

// An entry is a thread with its messages, state, tokens and log.
type entry struct {
	key state.Key
	// thread is replaced as a whole by every change, and may be read without the lock.
	thread atomic.Pointer[state.Thread]

	mu       sync.Mutex
	tag      string // of the transition that wrote it; empty once it is gone
	born     string
	first    uint64                 // the fence it was made with
	deadline time.Time              // when it may be forgotten; zero while a run is live
	gone     bool                   // removed: whoever waited for mu must look the key up again
	messages []*state.StoredMessage // by slot, nil if it is empty
	known    map[string]state.Place
	state    json.RawMessage
	past     document.History
	runs     []state.Run // before the newest, newest first
	tokens   map[string]state.Token
	log      log

	replaced     []replaced // oldest first
	replacedSize int        // bytes
	dropped      int64      // the revision that took away the newest message of those that are not kept

	size sizes
	asks time.Time // until when it has an open question

	due    ledger.Place[*entry] // in backend.due or backend.dead; guarded by backend.mu, as the next two
	place  int64                // in the order of its principal's, if placed
	placed bool
}

func (e *entry) inDue() *ledger.Place[*entry] { return &e.due }

// Listen sets the receiver of events; see [store.Backend].
func (b *backend) Listen(tell func(store.Event)) { b.tell = tell }

// Ping reports that the backend is there.
func (b *backend) Ping(context.Context) error { return nil }

// Close has nothing to let go of.
func (b *backend) Close() error { return nil }

// lock returns the entry of a thread, locked, or nil if there is none.
func (b *backend) lock(key state.Key) *entry {
	for {
		b.mu.Lock()
		e := b.threads[key]
		b.mu.Unlock()
		if e == nil {
			return nil
		}
		e.mu.Lock()
		expired := b.expired(e)
		if expired {
			b.forget(e, true)
		}
		if !e.gone {
			return e
		}
		e.mu.Unlock()
		if expired {
			b.removed(key)
		}
	}
}

// removed reports the removal of a thread to the store. No entry is locked.
func (b *backend) removed(key state.Key) {
	b.tell(store.Event{Kind: store.EventRemoved, Thread: key.Digest()})
}

// add returns the entry of a new thread, locked. It fails if the thread exists by now, or if a removed thread had a
// higher fence.
func (b *backend) add(w *store.Write) (*entry, error) {
	t := w.Transition.Thread
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.threads[t.Key] != nil || w.Begins && t.Fence <= b.floor {
		return nil, store.ErrConflict
	}
	e := &entry{key: t.Key, born: w.Born, first: t.Fence}
	e.thread.Store(&state.Thread{Key: t.Key})
	e.mu.Lock()
	b.threads[t.Key] = e
	return e, nil
}

// current returns a copy of the thread with the newest frame: appends do not replace the thread.
func (e *entry) current() *state.Thread {
	t := *e.thread.Load()
	t.Last = e.log.last
	return &t
}

// Delete removes a thread; see [store.Backend].
func (b *backend) Delete(_ context.Context, key state.Key) (uint64, error) {
	e := b.lock(key)
	if e == nil {
		return 0, state.ErrUnknownThread
	}
	defer e.mu.Unlock()
	t := e.current()
	if t.Live != nil {
		last, err := state.DeletedFrame(t.NextFrame(), b.o.Now().UnixMilli())
		if err != nil {
			return 0, err
		}
		e.log.append([]state.Frame{last})
		b.note(e)
	}
	b.forget(e, true)
	return t.Fence, nil
}
