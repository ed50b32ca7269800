package state

import (
	"encoding/json"
	"maps"
	"time"
)

// HeldBy reports whether l is the lease of the thread's live attempt. An expired lease is still good
// until somebody takes the run: the fence decides, so what its owner writes is in order.
func (t *Thread) HeldBy(l *Lease) bool {
	return t.Live != nil && l.Attempt != "" && t.Live.Fence == l.Fence && t.Live.Attempt == l.Attempt
}

// Overdue reports whether the thread's run has no owner any more at now.
func (t *Thread) Overdue(now time.Time) bool {
	return t.Live != nil && !now.Before(t.Live.Until)
}

// Repeats reports whether commit c of lease l is what made t what it is: its answer was lost, and it is made
// again. One that does not end the run is known by its number, or else by its last frame.
func (t *Thread) Repeats(l *Lease, c Commit) bool {
	var last FrameID
	if len(c.Frames) > 0 {
		last = c.Frames[len(c.Frames)-1].ID
	}
	if c.End != nil {
		return t.Live == nil && t.Fence == l.Fence && (last.IsZero() || t.Last == last)
	}
	if !t.HeldBy(l) {
		return false
	}
	return c.Number != 0 && t.Live.Number == c.Number || !last.IsZero() && t.Live.Committed == last
}

// Renewed returns the attempt with its lease lasting until then.
func (l Live) Renewed(until time.Time) *Live {
	l.Until = until
	return &l
}

// Released returns the attempt given up at now: it has no owner, and is overdue.
func (l Live) Released(now time.Time) *Live {
	l.Attempt, l.Until = "", now
	return &l
}

// Recorded returns the attempt with the result of an effect.
func (l Live) Recorded(key string, result json.RawMessage) *Live {
	l.Memo = maps.Clone(l.Memo)
	if l.Memo == nil {
		l.Memo = map[string]json.RawMessage{}
	}
	l.Memo[key] = result
	return &l
}

// ReadFor returns the attempt with a reader for d from now on.
func (l Live) ReadFor(d time.Duration, now time.Time) *Live {
	if until := now.Add(d); until.After(l.ReadUntil) {
		l.ReadUntil = until
	}
	return &l
}

// Told returns a copy of the attempt that has the flag of the signal s.
func (l Live) Told(s Signal) *Live {
	switch s {
	case SignalUntie:
		l.Tied, l.HungUp = false, false
	case SignalHungUp:
		l.HungUp = l.Tied
	case SignalStop:
		l.Stopped = true
	case SignalLost:
	}
	return &l
}

// Deadline returns when the thread may be forgotten: ttl after its last transition, but not before its latest open
// interrupt has been over for a day. It is zero for a thread with a live run.
func Deadline(t *Thread, f Facts, ttl time.Duration) time.Time {
	if t.Live != nil {
		return time.Time{}
	}
	deadline := t.UpdatedAt.Add(min(ttl, MaxTTL))
	for _, id := range t.Open {
		token, ok := f.Token(id)
		if !ok || token.Status != TokenOpen || token.ExpiresAt.IsZero() {
			continue
		}
		if after := token.ExpiresAt.Add(24 * time.Hour); after.After(deadline) {
			deadline = after
		}
	}
	return atMost(deadline)
}
