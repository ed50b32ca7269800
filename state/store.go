package state

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// Errors of a [Store]. Any other error means that the store could not be reached or failed: nothing is known
// about what happened, and the same call may be made again.
var (
	// ErrUnknownThread: the principal has no such thread. Another principal's is unknown too.
	ErrUnknownThread = errors.New("state: unknown thread")
	// ErrLeaseLost: another attempt, or none, holds the thread. The writer changed nothing and must stop.
	ErrLeaseLost = errors.New("state: lease lost")
	// ErrDamaged: the store has lost a part of the thread and kept the rest, or cannot decode a part. Nothing can be
	// done with the thread but to delete it; a run on it has ended.
	ErrDamaged = errors.New("state: the store has lost a part of the thread")
	// ErrRevision: the store does not keep what the thread held at that revision any more.
	ErrRevision = errors.New("state: revision is not kept any more")
	// ErrGap: the log ends before the frame that an append names; the frames between must be sent again.
	ErrGap = errors.New("state: gap in the log")
)

// A Store keeps threads. Every method is safe for concurrent use, on every replica; each write is one atomic
// transition. That of package state/memstore is in memory. The suite in state/statetest holds what all of them have in
// common.
type Store interface {
	Admitter
	Queue
	Writer
	ThreadReader
	Directory
	Patcher
	Approvals
	// Observe sets the observer of later calls.
	Observe(Observer)
	// Ping reports whether the store can be reached.
	Ping(ctx context.Context) error
	// Close ends what the store runs; tails end with it.
	Close() error
}

// An Observer is called at the beginning of each call of a [Store] but those that only wait, with its name, such as
// "commit". It returns the context of the call, and a function that gets the call's error at its end.
type Observer func(ctx context.Context, operation string) (context.Context, func(error))

// An Admitter decides what requests mean and hands out leases.
type Admitter interface {
	// Begin judges r with admit and makes the verdict come true in the same atomic transition. If it runs, the result
	// has a lease. It creates a thread only for a run. Made again for the same attempt, because its answer was lost, it
	// returns the run it has begun. ErrStored: the principal's threads would take more than they may.
	Begin(ctx context.Context, r *Request, o LeaseOptions) (*Begun, error)
	// Overdue returns threads with an expired lease of their live attempt: runs without an owner.
	Overdue(ctx context.Context, limit int) ([]Key, error)
	// Take gives an overdue run to a new attempt; like Begin it may be made again. ErrLeaseLost: somebody else
	// was faster, or it lives.
	Take(ctx context.Context, key Key, o LeaseOptions) (*Begun, error)
	// Signal tells the live attempt of a thread something, on whichever replica it runs. A run is named by the fence
	// it began with ([Intent].Origin), so that a signal that comes late never reaches the next one; 0 means whichever
	// is live. False means that it is not live. ErrUnknownThread: no such thread.
	Signal(ctx context.Context, key Key, run uint64, s Signal) (bool, error)
	// NoteReader notes that the live run of a thread has a reader for d from now on, on whichever replica; 0 notes
	// nothing. It returns for how long from now the run has one by all notes together, negative if that is over, and
	// false if no run is live. ErrUnknownThread: no such thread.
	NoteReader(ctx context.Context, key Key, d time.Duration) (left time.Duration, live bool, err error)
}

// LeaseOptions say who takes a lease and for how long.
type LeaseOptions struct {
	Attempt string        // unguessable; one per attempt
	TTL     time.Duration // a lease not renewed for so long is over
	// Overdue is for how long the lease of a run that is taken must have been over, by the store's clock.
	Overdue time.Duration
}

// Begun is the result of a request.
type Begun struct {
	Verdict Verdict
	// Thread is the thread after the transition; zero but for its key if it does not exist.
	Thread *Thread
	// Interrupts are the thread's open ones.
	Interrupts []agui.Interrupt
	// Lease is set if the verdict runs.
	Lease *Lease
	// Exists says whether the thread exists.
	Exists bool
	// Now is the time by the store's clock: leases end and interrupts expire by that one.
	Now time.Time
}

// A Lease is one attempt's right to write a thread. Whoever holds a newer fence has taken it away.
type Lease struct {
	Key     Key
	Attempt string
	Fence   uint64
	// Signals delivers what others have to say to this attempt. It has a buffer; a store drops repeats.
	Signals <-chan Signal

	Thread string // the digest of Key; empty if no store made it
}

// A Signal is something that others tell a live attempt.
type Signal string

// The signals.
const (
	SignalStop   Signal = "stop"   // end it as a user's stop
	SignalUntie  Signal = "untie"  // somebody attached: hanging up no longer stops it
	SignalHungUp Signal = "hungup" // its caller's connection has closed: note it for admission
	SignalLost   Signal = "lost"   // the lease is gone; sent by the store itself
)

// A Writer is what the owner of a lease may do. Every method returns ErrLeaseLost, and changes nothing, once
// the lease is another's or over and taken.
type Writer interface {
	// Append adds frames to the log behind the frame after, the last one of this fence the caller knows of
	// (zero: none yet). Appending frames that are there already is not an error. ErrGap: after is missing.
	Append(ctx context.Context, l *Lease, after FrameID, frames []Frame) error
	// Commit writes a turn boundary, or the end of the run, which also gives the lease back. It returns the
	// thread after it. The frames of the commit follow the appended ones; those there already are skipped. A
	// commit made again because its answer was lost, with the same number or frames, changes nothing and returns
	// the thread as it is. ErrGap as for Append.
	Commit(ctx context.Context, l *Lease, c Commit) (*Thread, error)
	// Once records the result of an effect under key, for a takeover to find.
	Once(ctx context.Context, l *Lease, key string, result json.RawMessage) error
	// Renew makes the lease last for ttl from now.
	Renew(ctx context.Context, l *Lease, ttl time.Duration) error
	// Release gives the run up without ending it, so that another replica takes it over at once.
	Release(ctx context.Context, l *Lease) error
}

// A Snapshot is a thread with its related records, all of one moment.
type Snapshot struct {
	Thread     *Thread
	Interrupts []agui.Interrupt // the open ones
	State      json.RawMessage  // nil if there is none
	Messages   Conversation
	Runs       []Run           // newest first, the thread's own among them, at most [MaxRuns]
	Answered   []AnsweredToken // oldest first, see [MaxAnswered]
}

// A ThreadReader shows threads as committed, and their logs.
type ThreadReader interface {
	// Load returns the thread and its open interrupts, or ErrUnknownThread.
	Load(ctx context.Context, key Key) (*Thread, []agui.Interrupt, error)
	// Snapshot returns the thread with its related records, or ErrUnknownThread.
	Snapshot(ctx context.Context, key Key) (*Snapshot, error)
	// Runs returns the runs that the thread remembers, newest first.
	Runs(ctx context.Context, key Key) ([]Run, error)
	// State returns the state as it was at revision rev, which is the present one or one that a frame of the log
	// names; rev < 0 means now. Nil: there was none. ErrRevision: it is not kept any more.
	State(ctx context.Context, key Key, rev int64) (json.RawMessage, error)
	// Messages returns the conversation as it was at revision rev, as State does the state.
	Messages(ctx context.Context, key Key, rev int64) (Conversation, error)
	// Tail yields the frames behind after, in batches as they come, waiting for more until ctx is done or the reader
	// stops; so only ctx ends it. A zero after means from the oldest kept frame on. The last yield may carry an error:
	// ErrUnknownThread when the thread is gone, also if there is another one of its name by now. A reader that has read
	// some of the log, or knows a run in it, is given the rest first, for [DeadLogTTL] or until there is another.
	// ErrTrimmed: some of what follows is not kept any more, or the store has lost the frame after.
	Tail(ctx context.Context, key Key, after FrameID) iter.Seq2[[]Frame, error]
	// Holds reports whether the log has the frame id.
	Holds(ctx context.Context, key Key, id FrameID) (bool, error)
}

// A Directory finds, names, copies and forgets threads.
type Directory interface {
	// Find returns the keys of the principal's threads with this id, one per agent.
	Find(ctx context.Context, principal, id string) ([]Key, error)
	// List returns a page of the principal's threads, newest first. ErrCursor: the cursor is not one.
	List(ctx context.Context, q Query) (Page, error)
	// Rename sets the title.
	Rename(ctx context.Context, key Key, title string) error
	// Fork makes a new thread with the conversation up to and including a message, and the state at the end of its run
	// if it is that run's last message, else at the run's start. ErrUnknownMessage: no such one. ErrThreadExists: id is
	// taken. ErrStored: the principal's threads would take more than maxStored bytes; 0 is any number.
	Fork(ctx context.Context, from Key, messageID, id string, maxStored int64) (*Thread, error)
	// Delete deletes the thread. A live attempt gets a stop and can write nothing more; its log ends with
	// [DeletedFrame]. Readers of the log get the rest of it, and then ErrUnknownThread.
	Delete(ctx context.Context, key Key) error
	// Purge removes what Delete has left of a thread for those who read its log; they get ErrUnknownThread. Nothing of
	// the thread is stored any more but, for an hour at most, a number under a hash of its key; a file on a disk is rid
	// of it with its next opening.
	Purge(ctx context.Context, key Key) error
}

// A Patcher changes the state of threads from outside of their runs.
type Patcher interface {
	// PatchState makes a patch by [PlanPatch]: at once where nothing runs, else it waits for the owner of the run.
	// Asked again with [PatchRequest].Known it says what became of the patch; of a thread where nothing runs any more
	// it makes the patches that still wait. ErrUnknownThread: no such thread. The problem of the patch is in the
	// result.
	PatchState(ctx context.Context, r *PatchRequest) (PatchResult, error)
}

// ErrTrimmed says that the log does not have a reader's next frames any more: the run is over, and was not read for
// too long; or the store has lost its newest writes, and the reader has frames of them.
var ErrTrimmed = errors.New("state: the log is trimmed")

// ErrUnknownMessage says that the conversation has no such message.
var ErrUnknownMessage = errors.New("state: unknown message")

// ErrThreadExists says that there is a thread with this id already.
var ErrThreadExists = errors.New("state: thread exists")

// ErrFull says that a store has no room for what would be written, and nothing that can go: what it has belongs to live
// runs. Nothing was written. It is returned for begins, forks and patches; a live run can always continue.
var ErrFull = errors.New("state: the store is full")

// ErrStored says that the principal's threads would take more than they may. Nothing was written.
var ErrStored = errors.New("state: the principal's threads take as much as they may")

// A Query selects threads of one principal.
type Query struct {
	Principal string
	Agent     string   // empty: any
	Without   []string // agents of omitted threads
	Status    Status   // empty: any
	Text      string   // each of its words is in the title or the name of the agent, in whatever case; empty: any
	Limit     int      // at most; 0 means 20
	// how many threads are looked at, at most: a page may have fewer than Limit, or none, and a Next; 0: any number
	Look   int
	Cursor string // from the page before
}

// A Page is a part of a listing.
type Page struct {
	Threads []Summary
	Next    string // cursor of the next page, empty at the end
}

// A Summary is a thread in a listing.
type Summary struct {
	Key       Key
	Status    Status
	Title     string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Calls is how many frontend calls wait for a result.
	Calls int
}
