package state

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"
)

// ErrConflict is returned by [Backend.Write] and [Backend.UpdateQueue] when the thread is not what the caller has read,
// and by [Record.Facts] when a fact that was looked up late is of another transition than the thread. The store reads
// the thread again and computes the transition anew.
var ErrConflict = errors.New("state: the thread has changed")

// A Backend keeps threads for the [Store] that [NewStore] makes of it. It knows nothing of what a transition means: the
// store reads a thread, computes a transition by the pure functions of this package, and writes the transition if no
// one else wrote the thread since. Leases, their signals, repeated calls, readers of logs and waiting requests are the
// store's business.
//
// Every method is safe for concurrent use, and each write is one atomic transition. A thread after its deadline does
// not exist, whether or not it has been removed. All times are the backend's clock's, which is one clock for all
// writers of a thread.
//
// Errors other than those that a method names mean that the backend could not be reached or failed, and that nothing is
// known about what happened. Any method may return [ErrDamaged], or [ErrLater] where a later version
// of the gateway writes the same store.
type Backend interface {
	// Listen is called once, before every other method. The backend calls tell for what happens to threads without a
	// call of this store: see [Event]. A backend that only one store uses has little to tell: the store itself knows
	// what it did. Tell returns quickly, may be called from any goroutine, and may call methods of the backend, so it
	// is not called with a lock held.
	Listen(tell func(Event))

	// Read returns the thread of a key. That there is none is no error: the record then has no tag, and a thread at
	// revision 0 with nothing but its key.
	Read(ctx context.Context, key Key, o ReadOptions) (*Record, error)
	// Write makes a transition come true, as a whole. ErrConflict: the thread's tag is not that of w.Base, or something
	// that was read with it has changed so that the transition would be another. ErrLeaseLost: w.Lease does not hold
	// the thread, or the run that is taken is not overdue any more. ErrGap: w.After is missing in the log.
	// [Write.Prepare] makes these checks for backends that keep a thread as one value.
	//
	// A backend with a limit makes room before, as statetest.RunLimited says. ErrFull: there is no room for a write
	// that is [Write.Limited].
	//
	// Frames of the transition that are in the log already are skipped. A write of the tag that the thread has already
	// is done, and is not done again.
	Write(ctx context.Context, w *Write) (Written, error)

	// Append adds frames to the log of the thread that l holds, in order, without those that are there already.
	// Revision is the newest that the owner of the lease has seen: a thread that is older has lost a transition, and
	// its lease with it. It returns the newest frame before, and the attempt's signals. ErrLeaseLost: l does not hold
	// the thread. ErrGap: the log ends before the frame after.
	Append(ctx context.Context, l *Lease, revision int64, after FrameID, frames []Frame) (before FrameID, told Flags,
		err error)
	// UpdateAttempt changes the record of a live attempt. It is no transition: revision and tag stay.
	// [AttemptUpdate.Apply] is what it does. ErrUnknownThread: there is no such thread, and u has no lease.
	// ErrLeaseLost: u.Lease does not hold the thread.
	UpdateAttempt(ctx context.Context, key Key, u AttemptUpdate) (Attempt, error)
	// UpdateQueue changes who waits for a thread. It is no transition: revision and tag stay. [QueueUpdate.Apply] is
	// what it does. It returns a thread of which Queue is as it is after the update and Live says whether a run is
	// live, and the time. ErrUnknownThread: there is no such thread. ErrConflict: the thread is not what u.Base has.
	UpdateQueue(ctx context.Context, key Key, u QueueUpdate) (*Thread, time.Time, error)
	// Delete removes a thread. If a run is live, its log gets [DeletedFrame] as its last one. The log is kept for
	// [DeadLogTTL], for those who have been reading it. A thread that is made under this key later has a higher fence.
	// The result is that of the thread before. ErrUnknownThread: there is no such thread.
	Delete(ctx context.Context, key Key) (fence uint64, err error)

	// Purge removes what Delete has left of a thread for those who read its log, and makes sure that nothing of it can
	// be found in what the backend has on a disk, now or with its next start. A thread that exists is left alone.
	Purge(ctx context.Context, key Key) error

	// ReadLog returns what the log has behind a frame, or from the oldest kept frame on for the zero one. It stops at a
	// number of frames, or of bytes, of the backend's choice. A thread that does not exist is no error.
	ReadLog(ctx context.Context, key Key, after FrameID) (*LogPage, error)
	// Holds reports whether the log has a frame. ErrUnknownThread: there is no such thread.
	Holds(ctx context.Context, key Key, id FrameID) (bool, error)
	// State returns the state as it was at a revision; below 0, or from the newest on, the present one.
	// ErrUnknownThread: there is no such thread. ErrRevision: it is not kept any more.
	State(ctx context.Context, key Key, revision int64) (json.RawMessage, error)
	// Messages returns the conversation as it was at a revision, as State does the state, all of one moment.
	// ErrConflict: somebody wrote the thread between the parts that were read.
	Messages(ctx context.Context, key Key, revision int64) (Conversation, error)

	// Find returns the keys of the principal's threads with this id, in the order of their agents.
	Find(ctx context.Context, principal, id string) ([]Key, error)
	// Index yields the threads of a principal in the order of their cursors, from those behind q.From on.
	Index(ctx context.Context, q IndexQuery) iter.Seq2[IndexEntry, error]
	// Stored returns how many bytes the principal's threads take, by the backend's own count: trimmed, deleted and
	// expired data does not count. It costs the same however many threads there are.
	Stored(ctx context.Context, principal string) (int64, error)
	// Overdue returns threads with an expired lease of their live attempt, at most limit of them; 0 means all. It is
	// called every few seconds, so a backend removes expired threads here.
	Overdue(ctx context.Context, limit int) ([]Key, error)

	// Ping reports whether the backend takes writes.
	Ping(ctx context.Context) error
	// Close lets go of what the backend holds. Nothing is called after it; calls that wait return.
	Close() error
}

// A LogFollower is a [Backend] that other processes write, too. It reports their additions to the logs that are
// followed here by [EventGrown].
type LogFollower interface {
	// FollowLog is [Backend.ReadLog] of a log that is followed from then on under a number: the log of a key has one at
	// a time, and the next one is higher. It may be called again. If told is true, there will be an event when
	// another process adds something; else the caller polls the log.
	FollowLog(ctx context.Context, key Key, after FrameID, number int64) (page *LogPage, told bool, err error)
	// UnfollowLog ends the following of a log under a number, because it has no reader here any more. It returns at
	// once.
	UnfollowLog(key Key, number int64)
}

// A Replicator is a [Backend] that can wait until its copies have a transition.
type Replicator interface {
	// Replicated returns when as many copies as are wanted have the transition that left a tag, with all before it.
	// ErrConflict: the thread has another tag by now. After any other error the transition may be lost in a failover,
	// or kept; the call may be repeated.
	Replicated(ctx context.Context, key Key, tag string) error
}

// ReadOptions say what a reader wants to know beside the thread. A backend that can look facts up at no cost may
// disregard them.
type ReadOptions struct {
	Messages []string // the ids of messages with places that will be needed
	Tokens   []string // the ids of tokens; the open and claimed ones of the thread come in any case
	Frame    FrameID  // whether the log has it; zero: not needed
	Have     *Record  // what the reader has: of a thread with the same tag the Private part need not be made anew
	// Take says that the caller intends to take the run over if it is overdue.
	Take bool
}

// A Record is a thread as of one moment. It is immutable.
type Record struct {
	Thread *Thread // at revision 0 if there is none
	// Tag names the transition that wrote the thread; empty if there is none. Born is the tag of its first transition,
	// behind the fence it was made with, see [Write.Born].
	Tag  string
	Born string
	// Now is the time of the reading, and Floor the highest fence that a thread of this key had, as far as it is known.
	Now   time.Time
	Floor uint64
	// HasFrame reports whether the log has the frame that was asked for.
	HasFrame bool
	// Facts are related records for transitions. Records that were not read with the thread are read on demand.
	Facts Lookup
	// Private is the backend's own; it comes back in [Write.Base] and [ReadOptions.Have].
	Private any
}

// Exists reports whether there is such a thread.
func (r *Record) Exists() bool { return r.Tag != "" }

// A Lookup is [Facts] that may have to be fetched.
type Lookup interface {
	Facts
	// Err returns what went wrong with lookups so far: their answers are worth nothing then. ErrConflict: one was of
	// another transition than the thread.
	Err() error
}

// A Write is a transition with what must still be true when it is written.
type Write struct {
	Base       *Record // what the transition was computed from
	Transition *Transition
	Tag        string // of the thread after the transition
	// Born names a thread that is made apart from all that have, had or will have its key: the fence it is made with, a
	// dot, and a random text. Of a thread that exists it is the one it has.
	Born string
	// Lease must hold the thread, and its log must reach up to After; nil for a transition that needs no lease. The
	// effects that the attempt has recorded are dropped by a transition with a lease.
	Lease *Lease
	After FrameID
	// Begins says that an attempt begins, with the fence of the transition's thread, and Takes that it continues a run
	// that must still be overdue. Ends says that the run ends.
	Begins, Takes, Ends bool
	// Deadline is when the thread may be forgotten; zero while a run is live.
	Deadline time.Time
	// AsksUntil is until when the thread has an open question: zero if it has none, [Forever] for one without end.
	AsksUntil time.Time
}

// Prepare checks that w may be written on the thread as it is now, which has this tag, and returns the thread that is
// to be kept: the transition's, with changes since it was read by other means than a transition. It fails with
// ErrConflict, ErrLeaseLost or ErrGap. Current is at revision 0 if there is no such thread.
func (w *Write) Prepare(current *Thread, tag string, now time.Time) (*Thread, error) {
	switch {
	case w.Lease != nil && !current.HeldBy(w.Lease):
		return nil, ErrLeaseLost
	case w.Lease != nil && current.Last.Less(w.After):
		return nil, ErrGap
	case tag != w.Base.Tag:
		return nil, ErrConflict
	case w.Takes && !current.Overdue(now):
		return nil, ErrLeaseLost
	case w.Takes && len(current.Live.Memo) != len(w.Base.Thread.Live.Memo):
		return nil, ErrConflict
	case w.Begins && !slices.Equal(current.Queue, w.Base.Thread.Queue):
		return nil, ErrConflict
	}
	next := *w.Transition.Thread
	next.Last = current.Last
	if n := len(w.Transition.Frames); n > 0 && next.Last.Less(w.Transition.Frames[n-1].ID) {
		next.Last = w.Transition.Frames[n-1].ID
	}
	if !w.Begins {
		next.Queue = current.Queue
	}
	if next.Live != nil && current.Live != nil {
		live := *next.Live
		live.Stopped, live.ReadUntil = current.Live.Stopped, current.Live.ReadUntil
		if live.Fence == current.Live.Fence {
			live.Attempt, live.Until = current.Live.Attempt, current.Live.Until
			live.Tied, live.HungUp = current.Live.Tied, current.Live.HungUp
			if w.Lease == nil {
				live.Memo = current.Live.Memo
			}
		}
		next.Live = &live
	}
	return &next, nil
}

// Written is the result of a [Write].
type Written struct {
	Before  FrameID // the newest frame of the log before
	Last    FrameID // and after
	Private any     // of the record that the thread is now
}

// A LogPage is a part of a log as it was read.
type LogPage struct {
	// Born is the [Write.Born] of the log's thread; empty for one that is gone. The log of such a thread is kept
	// for [DeadLogTTL], or until there is another thread of its key.
	Born string
	// Marker is the owner of the log by its own content; empty if unknown. A backend that finds the log of a
	// thread which is gone by the place that the reader has in it need not set it.
	Marker string
	Frames []Frame // immutable
	// Last is the newest frame of the log, and End up to where this part reaches: at least to its last frame, and to
	// Last if there is no More.
	Last, End FrameID
	More      bool    // there is more than is read at once
	Cut       FrameID // the newest frame that is not kept any more; zero: all are
	// Lost reports that the log does not have the frame that was read from, and will not have it again: the backend has
	// lost its newest writes. While the owner of that frame's fence is live it may append the frame again, and the
	// frame is not lost.
	Lost bool
}

// An EventKind says what an [Event] tells.
type EventKind string

// The kinds of events.
const (
	EventSignal EventKind = "signal" // the attempt of Fence is sent Signal
	EventTurn   EventKind = "turn"   // requests that wait for the thread look again
	// EventGrown: the log of the thread, or of each that is followed if Thread is empty, may have grown: somebody else
	// may have written it.
	EventGrown EventKind = "grown"
	// EventRemoved: the thread is gone. Readers of its log are given the rest, and waiting requests look again.
	EventRemoved EventKind = "removed"
)

// An Event is something that happened to a thread without a call of this store: another process did it, or the backend.
type Event struct {
	Kind   EventKind
	Thread string // the [Key.Digest] of its key
	Fence  uint64
	Signal Signal
}

// An IndexQuery selects threads of a principal.
type IndexQuery struct {
	Principal string
	Agent     string  // empty: any
	From      *Cursor // only those after it; nil: all
	Count     int     // about how many are going to be asked for
	Most      int     // how many will be needed at most; 0: unknown
}

// An IndexEntry is a thread where an index has it.
type IndexEntry struct {
	At      Cursor // the start of the next query
	Summary Summary
}
