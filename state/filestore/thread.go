package filestore

import (
	"encoding/json"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/state"
)

// The table of a thread has records, and tables for large or numerous parts. A table with one record keeps a large
// value apart from small ones that change more often, because bbolt writes whole pages.
var (
	docKey     = []byte("doc")     // the document
	lastKey    = []byte("last")    // the newest frame of the log
	stoppedKey = []byte("stopped") // exists if the live run was stopped

	liveRecord       = []byte("attempt")    // one record: the live attempt, without its state in memory
	checkpointRecord = []byte("checkpoint") // one record
	stateRecord      = []byte("state")      // one record: the present state

	messagesTable = []byte("messages") // slot → message
	knownTable    = []byte("known")    // message id → place, also of those that left
	tokensTable   = []byte("tokens")   // interrupt id → token
	memoTable     = []byte("memo")     // effect → result
	runsTable     = []byte("runs")     // number → run, without the newest
	pastTable     = []byte("past")     // number → mark
	logTable      = []byte("log")      // frame id → frame
	endsTable     = []byte("ends")     // last frame of a run that is over → when and at which revision it ended
	replacedTable = []byte("replaced") // kind, revision that replaced it, number → replaced value
)

// An attempt is the part of a live attempt in memory: it ends with the process, and changes without a transition.
type attempt struct {
	fence, origin         uint64
	rev                   int64 // of the thread
	attempt               string
	until, readUntil      time.Time
	tied, hungUp, stopped bool
}

// attemptOf returns the live attempt of t.
func attemptOf(t *state.Thread) attempt {
	l := t.Live
	return attempt{
		fence: l.Fence, origin: l.Intent.Origin, rev: t.Rev, attempt: l.Attempt, until: l.Until, readUntil: l.ReadUntil,
		tied: l.Tied, hungUp: l.HungUp, stopped: l.Stopped,
	}
}

// onto copies a to the attempt read from the file.
func (a attempt) onto(l *state.Live) {
	l.Attempt, l.Until, l.ReadUntil = a.attempt, a.until, a.readUntil
	l.Tied, l.HungUp, l.Stopped = a.tied, a.hungUp, a.stopped
}

// thread returns the parts of the thread that a change of the attempt needs.
func (a attempt) thread(key state.Key) *state.Thread {
	l := &state.Live{Fence: a.fence, Intent: state.Intent{Origin: a.origin}}
	a.onto(l)
	return &state.Thread{Key: key, Rev: a.rev, Fence: a.fence, Live: l}
}

// A loaded thread is one in a transaction.
type loaded struct {
	key   state.Key
	name  []byte
	table table
	doc   threadDoc
	// thread is the whole thread, without its state in memory.
	thread *state.Thread
	grown  int64 // bytes since it was found
}

// counting starts to count the changes of the thread's table.
func (l *loaded) counting() *loaded {
	l.table.grown = &l.grown
	return l
}

// find returns the thread of a key, or a removed thread with its log; nil if there is nothing.
func find(tx *bolt.Tx, key state.Key) (*loaded, error) {
	l := &loaded{key: key, name: threadName(key)}
	if l.table = rootTable(tx, threadsTable).sub(l.name); l.table.b == nil {
		return nil, nil
	}
	l.counting()
	raw, err := l.table.get(docKey)
	if err != nil {
		return nil, err
	}
	if err := unmarshal("document", raw, &l.doc); err != nil {
		return nil, err
	}
	if l.doc.Thread == nil {
		return nil, state.ErrDamaged
	}
	return l, nil
}

// root returns a table of the file's first level for changes.
func (x *txn) root(name []byte) table {
	t := rootTable(x.tx, name)
	t.failure = &x.failure
	return t
}

// find is [find] for changes.
func (x *txn) find(key state.Key) (*loaded, error) {
	l, err := find(x.tx, key)
	if l != nil {
		l.table.failure = &x.failure
	}
	return l, err
}

// over reports whether the thread does not exist any more.
func (l *loaded) over(now time.Time) bool {
	return l == nil || l.doc.Gone || !l.doc.Deadline.IsZero() && !now.Before(l.doc.Deadline)
}

// read returns the thread of a key as the file has it, nil if there is none.
func (b *backend) read(tx *bolt.Tx, key state.Key) (*loaded, error) {
	l, err := find(tx, key)
	if err != nil || l.over(b.o.Now()) {
		return nil, err
	}
	return l, l.complete()
}

// complete reads the parts beside the document.
func (l *loaded) complete() error {
	t := l.doc.Thread
	l.thread = t
	t.Key = l.key // JSON changes a name that is not UTF-8
	last, err := l.table.get(lastKey)
	if err != nil {
		return err
	}
	t.Last = frameOf(last)
	if t.Checkpoint, err = l.value(checkpointRecord); err != nil {
		return err
	}
	raw, err := l.table.sub(liveRecord).get(liveRecord)
	if err != nil || raw == nil {
		return err
	}
	if err := unmarshal("attempt", raw, &t.Live); err != nil {
		return err
	}
	stopped, err := l.table.get(stoppedKey)
	if err != nil {
		return err
	}
	t.Live.Stopped = stopped != nil
	return l.table.sub(memoTable).each(nil, func(_, raw []byte) (bool, error) {
		if t.Live.Memo == nil {
			t.Live.Memo = map[string]json.RawMessage{}
		}
		var effect string
		result, err := cutHead("effect", raw, &effect)
		t.Live.Memo[effect] = result
		return true, err
	})
}

// value returns a copy of the value of a table with one record; nil if it is empty.
func (l *loaded) value(name []byte) (json.RawMessage, error) {
	raw, err := l.table.sub(name).get(name)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return slices.Clone(raw), nil
}

// setValue sets the value of a table with one record.
func (l *loaded) setValue(name, value []byte) {
	if len(value) == 0 {
		l.table.remove(name)
		return
	}
	l.table.make(name).put(name, value)
}

// current returns the thread with its state in memory; at revision 0 if there is none.
func current(l *loaded, key state.Key, a *attempt, queue []state.Ticket) (*state.Thread, string) {
	if l == nil {
		return &state.Thread{Key: key}, ""
	}
	t := *l.thread
	t.Queue = queue
	if t.Live != nil && a != nil && a.fence == t.Live.Fence {
		live := *t.Live
		a.onto(&live)
		t.Live = &live
	}
	return &t, l.doc.Tag
}

// attempt returns the live attempt of a thread in the transaction; nil if no run is live.
func (x *txn) attempt(key state.Key) *attempt {
	if a, ok := x.live[key]; ok {
		return a
	}
	if a, ok := x.b.live[key]; ok { // the writer alone changes the map
		return &a
	}
	return nil
}

// queue returns the requests that wait for a thread.
func (x *txn) queue(key state.Key) []state.Ticket {
	if q, ok := x.queues[key]; ok {
		return q
	}
	return x.b.queues[key]
}

// read returns the thread of a key in the transaction with its state in memory, and its tag. Without a thread it
// returns nil and a thread at revision 0.
func (x *txn) read(key state.Key) (*loaded, *state.Thread, string, error) {
	l, err := x.find(key)
	if err != nil || l.over(x.now) {
		t, tag := current(nil, key, nil, nil)
		return nil, t, tag, err
	}
	if err := l.complete(); err != nil {
		return nil, nil, "", err
	}
	t, tag := current(l, key, x.attempt(key), x.queue(key))
	return l, t, tag, nil
}

// lastFrame returns the id of the newest frame of the log.
func (l *loaded) lastFrame() (state.FrameID, error) {
	raw, err := l.table.get(lastKey)
	return frameOf(raw), err
}
