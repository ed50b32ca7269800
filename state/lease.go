package state

import "time"

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

// Flags are signals to a live attempt.
type Flags struct {
	Stopped bool // somebody asked for its end
	Tied    bool // hanging up stops it
	HungUp  bool // its caller's connection has closed
}

// Flags are the signals to the attempt.
func (l *Live) Flags() Flags { return Flags{Stopped: l.Stopped, Tied: l.Tied, HungUp: l.HungUp} }

// Forever is a time that does not come. A deadline that is later counts as this one: nanoseconds since 1970 end in
// 2262.
var Forever = time.Unix(1<<33, 0).UTC()

// MaxTTL is how long anything is kept at most: a longer time counts as this one.
const MaxTTL = 100 * 365 * 24 * time.Hour

// atMost returns t, or [Forever] if that is earlier.
func atMost(t time.Time) time.Time {
	if t.After(Forever) {
		return Forever
	}
	return t
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

// AsksUntil returns the time until which the thread has an open question: zero if it has none, [Forever] for one
// without end.
func AsksUntil(t *Thread, f Facts) time.Time {
	var until time.Time
	for _, id := range t.Open {
		token, ok := f.Token(id)
		switch {
		case !ok || token.Status != TokenOpen:
		case token.ExpiresAt.IsZero():
			return Forever
		case token.ExpiresAt.After(until):
			until = token.ExpiresAt
		}
	}
	return atMost(until)
}
