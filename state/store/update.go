package store

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// An AttemptOp names what an [AttemptUpdate] changes.
type AttemptOp string

// The changes of an attempt.
const (
	AttemptRenew   AttemptOp = "renew"   // its lease lasts for TTL from now; has a Lease
	AttemptRelease AttemptOp = "release" // it is given up, and the run is overdue; has a Lease
	AttemptRecord  AttemptOp = "record"  // the effect Effect has the result Result; has a Lease
	AttemptSignal  AttemptOp = "signal"  // it is sent Signal, if the live run is Run
	AttemptReader  AttemptOp = "reader"  // it has a reader for TTL from now; 0 notes nothing
)

// An AttemptUpdate is a change of the record of a live attempt, other than by a transition.
type AttemptUpdate struct {
	Op     AttemptOp
	Lease  *state.Lease // must hold the thread
	TTL    time.Duration
	Effect string
	Result json.RawMessage
	Run    uint64 // the fence that the run began with; 0 means whichever is live
	Signal state.Signal
}

// Apply returns the live attempt of t after the update, at now; nil if nothing is live, or another run than Run: then
// nothing changes. It fails with ErrLeaseLost.
func (u AttemptUpdate) Apply(t *state.Thread, now time.Time) (*state.Live, error) {
	if u.Lease != nil && !t.HeldBy(u.Lease) {
		return nil, state.ErrLeaseLost
	}
	if t.Live == nil || u.Run != 0 && u.Run != t.Live.Intent.Origin {
		return nil, nil
	}
	live := *t.Live
	switch u.Op {
	case AttemptRenew:
		live.Until = now.Add(u.TTL)
	case AttemptRelease: // without an owner the run is overdue
		live.Attempt, live.Until = "", now
	case AttemptRecord:
		if live.Memo = maps.Clone(live.Memo); live.Memo == nil {
			live.Memo = map[string]json.RawMessage{}
		}
		live.Memo[u.Effect] = u.Result
	case AttemptSignal:
		signal(&live, u.Signal)
	case AttemptReader:
		if until := now.Add(u.TTL); u.TTL > 0 && until.After(live.ReadUntil) {
			live.ReadUntil = until
		}
	}
	return &live, nil
}

// signal sets the flag of a signal.
func signal(l *state.Live, s state.Signal) {
	switch s {
	case state.SignalUntie:
		l.Tied, l.HungUp = false, false
	case state.SignalHungUp:
		l.HungUp = l.Tied
	case state.SignalStop:
		l.Stopped = true
	case state.SignalLost:
	}
}

// An Attempt is the result of an [AttemptUpdate].
type Attempt struct {
	Live bool // whether the run that is meant is live
	// Fence is that of the live attempt; 0 if its owner got a signal already.
	Fence uint64
	Flags state.Flags
	// ReadLeft is for how long from now the run has a reader; negative if that is over.
	ReadLeft time.Duration
}

// AttemptOf is the result of an update after which the attempt is live; of nil: nothing is.
func AttemptOf(live *state.Live, now time.Time) Attempt {
	if live == nil {
		return Attempt{}
	}
	return Attempt{Live: true, Fence: live.Fence, Flags: live.Flags(), ReadLeft: live.ReadUntil.Sub(now)}
}

// A QueueOp names what a [QueueUpdate] does.
type QueueOp string

// The changes of a queue.
const (
	QueueJoin  QueueOp = "join"  // takes a place at the end, or renews the one it has; has a Base
	QueueRenew QueueOp = "renew" // makes the place last for TTL from now
	QueueHold  QueueOp = "hold"  // takes the place before all others
	QueueLeave QueueOp = "leave" // gives the place up; other replicas with waiting requests get a notice
)

// A QueueUpdate is a change of who waits for a thread, other than by a transition.
type QueueUpdate struct {
	Op     QueueOp
	Ticket string
	TTL    time.Duration
	Base   *Record // the thread must be unchanged, and its queue; nil: in any case
}

// Apply returns the queue after the update.
func (u QueueUpdate) Apply(q []state.Ticket, now time.Time) []state.Ticket {
	switch u.Op {
	case QueueJoin:
		// there is room, or the verdict would be another
		q, _ = state.Enqueue(q, &state.Wait{Ticket: u.Ticket, TTL: u.TTL}, now)
		return q
	case QueueRenew:
		return state.Renew(q, u.Ticket, now.Add(u.TTL))
	case QueueHold:
		return slices.Insert(state.Dequeue(q, u.Ticket), 0, state.Ticket{ID: u.Ticket, Until: now.Add(u.TTL)})
	case QueueLeave:
		return state.Dequeue(q, u.Ticket)
	}
	return q
}

// Prepare is Apply for backends that keep a thread as one value: it checks that the thread, which has this tag, is what
// u.Base has. It fails with ErrConflict.
func (u QueueUpdate) Prepare(current *state.Thread, tag string, now time.Time) ([]state.Ticket, error) {
	if b := u.Base; b != nil && (tag != b.Tag || !slices.Equal(current.Queue, b.Thread.Queue)) {
		return nil, ErrConflict
	}
	return u.Apply(current.Queue, now), nil
}
