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

// A view is the file in one transaction.
type view struct {
	tx *bolt.Tx

	failure
}

// root returns a table of the file's first level.
func (v *view) root(name []byte) table {
	return table{b: v.tx.Bucket(name), seed: within(0, name), failure: &v.failure}
}

// find returns the thread of a key, or a removed thread with its log; nil if there is nothing.
func (v *view) find(key state.Key) *loaded {
	l := &loaded{key: key, name: threadName(key)}
	if l.table = v.root(threadsTable).sub(l.name); l.table.b == nil {
		return nil
	}
	l.counting()
	v.decode("document", l.table.get(docKey), &l.doc)
	if l.doc.Thread == nil {
		v.fail(state.ErrDamaged)
		return nil
	}
	return l
}

// thread returns the thread of a key as the file has it, nil if there is none at a time.
func (v *view) thread(key state.Key, now time.Time) *loaded {
	l := v.find(key)
	if l.over(now) {
		return nil
	}
	l.complete()
	return l
}

// over reports whether the thread does not exist any more.
func (l *loaded) over(now time.Time) bool {
	return l == nil || l.doc.Gone || !l.doc.Deadline.IsZero() && !now.Before(l.doc.Deadline)
}

// complete reads the parts beside the document.
func (l *loaded) complete() {
	t := l.doc.Thread
	l.thread = t
	t.Key = l.key // JSON changes a name that is not UTF-8
	t.Last, t.Checkpoint = l.lastFrame(), l.value(checkpointRecord)
	raw := l.table.sub(liveRecord).get(liveRecord)
	if raw == nil {
		return
	}
	if l.table.decode("attempt", raw, &t.Live); t.Live == nil {
		return
	}
	t.Live.Stopped = l.table.get(stoppedKey) != nil
	l.table.sub(memoTable).each(nil, func(_, raw []byte) bool {
		if t.Live.Memo == nil {
			t.Live.Memo = map[string]json.RawMessage{}
		}
		var effect string
		result, err := cutHead("effect", raw, &effect)
		l.table.fail(err)
		t.Live.Memo[effect] = result
		return true
	})
}

// value returns a copy of the value of a table with one record; nil if it is empty.
func (l *loaded) value(name []byte) json.RawMessage {
	raw := l.table.sub(name).get(name)
	if len(raw) == 0 {
		return nil
	}
	return slices.Clone(raw)
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
func (x *txn) read(key state.Key) (*loaded, *state.Thread, string) {
	l := x.thread(key, x.now)
	t, tag := current(l, key, x.attempt(key), x.queue(key))
	return l, t, tag
}

// lastFrame returns the id of the newest frame of the log.
func (l *loaded) lastFrame() state.FrameID { return frameOf(l.table.get(lastKey)) }
