package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// ErrConflict is returned by [Backend.Write] and [Backend.UpdateQueue] when the thread has changed since the caller
// read it, and by [Record.Facts] when a fact was looked up after such a change. The store reads the thread again and
// computes the transition anew.
var ErrConflict = errors.New("state: the thread has changed")

// A Backend keeps threads for the [state.Store] that [New] makes of it. It does not interpret transitions: the store
// reads a thread, computes a transition by the pure functions of package state, and has it written if the thread is
// unchanged. The store handles leases, their signals, repeated calls, readers of logs and waiting requests.
//
// Every method is safe for concurrent use, and each write is one atomic transition. A thread after its deadline does
// not exist, whether or not it has been removed. All times are those of the backend's clock, which is one clock for all
// writers of a thread.
//
// Any other error than those of a method's comment means that the backend could not be reached or failed; the call may
// have been executed. Any method may return [state.ErrDamaged], or [state.ErrLater] where a later version of the
// gateway writes the same store.
type Backend interface {
	// Listen is called once, before every other method. The backend calls notify for changes of threads that this store
	// did not make: see [Event]. Notify returns quickly, may be called from any goroutine, and may call methods of the
	// backend, so it is not called with a lock held.
	Listen(notify func(Event))

	// Read returns the thread of a key. Without one it returns a record without a tag, and with a thread at revision 0
	// that has only its key.
	Read(ctx context.Context, key state.Key, o ReadOptions) (*Record, error)
	// Write applies a transition as a whole. ErrConflict: the thread's tag is not that of w.Base, or a part of w.Base
	// that the transition depends on has changed. ErrLeaseLost: w.Lease does not hold the thread, or the run to take
	// over is not overdue any more. ErrGap: w.After is missing in the log. [Write.Prepare] makes these checks for
	// backends that keep a thread as one value.
	//
	// A backend with a limit makes room before, as statetest.RunLimited requires. ErrFull: there is no room for a write
	// that is [Write.Limited].
	//
	// Frames of the transition that are in the log already are skipped. A write of the tag that the thread has already
	// is done, and is not done again.
	Write(ctx context.Context, w *Write) (Written, error)

	// Append adds frames to the log of the thread that l holds, in order, without those that are there already.
	// Revision is the newest that the owner of the lease has seen: a thread that is older has lost a transition, and
	// its lease with it. It returns the newest frame before, and the attempt's signals. ErrLeaseLost: l does not hold
	// the thread. ErrGap: the log ends before the frame after.
	Append(ctx context.Context, l *state.Lease, revision int64, after state.FrameID, frames []state.Frame) (
		before state.FrameID, flags state.Flags, err error)
	// UpdateAttempt changes the record of a live attempt by [AttemptUpdate.Apply]. It is no transition: revision and
	// tag stay. ErrUnknownThread: there is no such thread, and u has no lease.
	// ErrLeaseLost: u.Lease does not hold the thread.
	UpdateAttempt(ctx context.Context, key state.Key, u AttemptUpdate) (Attempt, error)
	// UpdateQueue changes the queue of a thread by [QueueUpdate.Apply]. It is no transition: revision and tag stay. It
	// returns the time, and a thread with the new Queue and with Live if a run is live. ErrUnknownThread: there is no
	// such thread. ErrConflict: the thread differs from u.Base.
	UpdateQueue(ctx context.Context, key state.Key, u QueueUpdate) (*state.Thread, time.Time, error)
	// Delete removes a thread, and returns its fence. If a run is live, the log ends with [state.DeletedFrame]. The log
	// is kept for [state.DeadLogTTL] for its readers. A later thread of this key has a higher fence. ErrUnknownThread:
	// there is no such thread.
	Delete(ctx context.Context, key state.Key) (fence uint64, err error)

	// Purge removes the log that Delete has kept, and makes sure that no data of the thread is left on a disk, now or
	// after the next start. A thread that exists is left alone.
	Purge(ctx context.Context, key state.Key) error

	// ReadLog returns the frames of the log after a frame, or from the oldest kept frame on for the zero one. The
	// backend limits the number of frames and bytes. A thread that does not exist is no error.
	ReadLog(ctx context.Context, key state.Key, after state.FrameID) (*LogPage, error)
	// Holds reports whether the log has a frame. ErrUnknownThread: there is no such thread.
	Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error)
	// State returns the state as it was at a revision; below 0, or from the newest on, the present one.
	// ErrUnknownThread: there is no such thread. ErrRevision: it is not kept any more.
	State(ctx context.Context, key state.Key, revision int64) (json.RawMessage, error)
	// Messages returns the conversation as it was at a revision, as State does the state, all of one moment.
	// ErrConflict: the thread changed while it was read in parts.
	Messages(ctx context.Context, key state.Key, revision int64) (state.Conversation, error)

	// Find returns the keys of the principal's threads with this id, in the order of their agents.
	Find(ctx context.Context, principal, id string) ([]state.Key, error)
	// Index yields the threads of a principal in the order of their cursors, from those after q.From on.
	Index(ctx context.Context, q IndexQuery) iter.Seq2[IndexEntry, error]
	// Stored returns how many bytes the principal's threads take, by the backend's own count: trimmed, deleted and
	// expired data does not count. It costs the same however many threads there are.
	Stored(ctx context.Context, principal string) (int64, error)
	// Overdue returns threads with an expired lease of their live attempt, at most limit of them; 0 means all. It is
	// called every few seconds, so a backend removes expired threads here.
	Overdue(ctx context.Context, limit int) ([]state.Key, error)

	// Ping reports whether the backend takes writes.
	Ping(ctx context.Context) error
	// Close releases all resources. Nothing is called after it; calls that wait return.
	Close() error
}

// A LogFollower is a [Backend] that other processes write, too. It reports their additions to the logs that are
// followed here by [EventGrown].
type LogFollower interface {
	// FollowLog is [Backend.ReadLog] of a log that is followed from then on under a number: the log of a key has one at
	// a time, and the next one is higher. It may be called again. If followed is true, there will be an event when
	// another process adds frames; else the caller polls the log.
	FollowLog(ctx context.Context, key state.Key, after state.FrameID, number int64) (
		page *LogPage, followed bool, err error)
	// UnfollowLog ends the following of a log under a number. It returns at once.
	UnfollowLog(key state.Key, number int64)
}

// A Replicator is a [Backend] that can wait until its copies have a transition.
type Replicator interface {
	// Replicated returns when the configured number of copies have the transition with a tag, and all before it.
	// ErrConflict: the thread has another tag by now. After any other error a failover may lose the transition; the
	// call may be repeated.
	Replicated(ctx context.Context, key state.Key, tag string) error
}

// ReadOptions name the facts that a caller needs beside the thread. A backend that can look them up at no cost may
// disregard them.
type ReadOptions struct {
	Messages []string      // the ids of messages with places that will be needed
	Tokens   []string      // the ids of tokens; the open and claimed ones of the thread come in any case
	Frame    state.FrameID // whether the log has it; zero: not needed
	Have     *Record       // a record of the caller: its Private part is reused if the tag is the same
	// Take says that the caller intends to take the run over if it is overdue.
	Take bool
}

// A Record is a thread as of one moment. It is immutable.
type Record struct {
	Thread *state.Thread // at revision 0 if there is none
	// Tag names the transition that wrote the thread; empty if there is none. Born is as in [Write].
	Tag  string
	Born string
	// Now is the time of the reading, and Floor the highest known fence of earlier threads of this key.
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

// A Lookup is [state.Facts] that may have to be fetched.
type Lookup interface {
	state.Facts
	// Err returns the error of lookups so far; their results are invalid then. ErrConflict: the thread had changed.
	Err() error
}

// A Write is a transition with its preconditions.
type Write struct {
	Base       *Record // the thread before the transition
	Transition *state.Transition
	Tag        string // of the thread after the transition
	// Born is the incarnation id of the thread, unique among all threads of its key: the fence of its first transition,
	// a dot, and a random text.
	Born string
	// Lease must hold the thread, and its log must reach up to After; nil for a transition that needs no lease. A
	// transition with a lease drops the recorded effects of the attempt.
	Lease *state.Lease
	After state.FrameID
	// Begins says that an attempt begins, with the fence of the transition's thread, and Takes that it continues a run
	// that must still be overdue. Ends says that the run ends.
	Begins, Takes, Ends bool
	// Deadline is when the thread may be forgotten; zero while a run is live.
	Deadline time.Time
	// AsksUntil is the expiry of the last open question: zero if there is none, [state.Forever] for one without expiry.
	AsksUntil time.Time
}

// Prepare checks the preconditions of w against the current thread and its tag, and returns the thread to store: that
// of the transition, with changes since the reading that were no transitions. It fails with ErrConflict, ErrLeaseLost
// or ErrGap. Current is at revision 0 if there is no such thread.
func (w *Write) Prepare(current *state.Thread, tag string, now time.Time) (*state.Thread, error) {
	switch {
	case w.Lease != nil && !current.HeldBy(w.Lease):
		return nil, state.ErrLeaseLost
	case w.Lease != nil && current.Last.Less(w.After):
		return nil, state.ErrGap
	case tag != w.Base.Tag:
		return nil, ErrConflict
	case w.Takes && !current.Overdue(now):
		return nil, state.ErrLeaseLost
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
	Before  state.FrameID // the newest frame of the log before
	Last    state.FrameID // and after
	Private any           // of the record after the write
}

// A LogPage is a part of a log as it was read.
type LogPage struct {
	// Born is the [Write.Born] of the log's thread; empty for one that is gone. The log of such a thread is kept
	// for [state.DeadLogTTL], or until there is another thread of its key.
	Born string
	// Marker is the Born that the log itself names; empty if unknown. A backend that finds the log of a deleted thread
	// by the cursor of its reader need not set it.
	Marker string
	Frames []state.Frame // immutable
	// Last is the newest frame of the log, and End the end of this part: at least its last frame, and Last if there is
	// no More.
	Last, End state.FrameID
	More      bool          // there is more than is read at once
	Cut       state.FrameID // the newest frame that is not kept any more; zero: all are
	// Lost reports that the log does not have the reader's frame, because the backend has lost its newest writes. It is
	// not set while the owner of that frame's fence is live, because it may append the frame again.
	Lost bool
}

// An EventKind is the kind of an [Event].
type EventKind string

// The kinds of events.
const (
	EventSignal EventKind = "signal" // the attempt of Fence is sent Signal
	EventTurn   EventKind = "turn"   // waiting requests check the thread
	// EventGrown: another process may have written the log of the thread, or of any followed one if Thread is empty.
	EventGrown EventKind = "grown"
	// EventRemoved: the thread is gone. Readers get the rest of its log, and waiting requests check the thread.
	EventRemoved EventKind = "removed"
)

// An Event is a change of a thread by another process or by the backend itself.
type Event struct {
	Kind   EventKind
	Thread string // the [state.Key.Digest] of its key
	Fence  uint64
	Signal state.Signal
}

// An IndexQuery selects threads of a principal.
type IndexQuery struct {
	Principal string
	Agent     string        // empty: any
	From      *state.Cursor // only those after it; nil: all
	Count     int           // the expected number of threads
	Most      int           // the most that the caller needs; 0: unknown
}

// An IndexEntry is a thread with its place in an index.
type IndexEntry struct {
	At      state.Cursor // the start of the next query
	Summary state.Summary
}
