package simstore

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A Replica is the [store.Backend] of one store on a [Cluster].
type Replica struct {
	cluster  *Cluster
	tell     func(store.Event)
	followed map[state.Key]int64 // guarded by the cluster's lock
}

var (
	_ store.Backend     = (*Replica)(nil)
	_ store.LogFollower = (*Replica)(nil)
)

// Listen is called with the receiver of events; see [store.Backend].
func (b *Replica) Listen(tell func(store.Event)) { b.tell = tell }

// Ping reports that the cluster is there.
func (b *Replica) Ping(context.Context) error { return nil }

// Close lets the cluster forget the replica.
func (b *Replica) Close() error {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas = slices.DeleteFunc(c.replicas, func(r *Replica) bool { return r == b })
	return nil
}

// change makes one change of a row, and tells the other replicas. The row is nil if there is none.
func (b *Replica) change(key state.Key, do func(r *row, now time.Time) (*row, []store.Event, error)) error {
	c := b.cluster
	c.mu.Lock()
	before := c.row(key)
	after, events, err := do(before, c.o.Now())
	if err == nil && after != nil && after != before {
		c.put(key, after)
		if before == nil || before.thread.Last != after.thread.Last {
			events = append(events, store.Event{Kind: store.EventGrown, Thread: key.Digest()})
		}
	}
	c.mu.Unlock()
	c.tell(b, events)
	return err
}

// look reads a row.
func (b *Replica) look(key state.Key) *row {
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	return b.cluster.row(key)
}

// Read returns a thread; see [store.Backend].
func (b *Replica) Read(_ context.Context, key state.Key, o store.ReadOptions) (*store.Record, error) {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.row(key)
	record := &store.Record{Now: c.o.Now(), Floor: c.floors[key]}
	if r == nil {
		record.Thread, record.Facts = &state.Thread{Key: key},
			&facts{cluster: c, row: &row{thread: &state.Thread{Key: key}}}
		return record, nil
	}
	record.Thread, record.Tag, record.Born, record.Facts = r.thread, r.tag, r.born, &facts{cluster: c, row: r}
	record.HasFrame = !o.Frame.IsZero() && r.holds(o.Frame)
	return record, nil
}

// Write writes a transition; see [store.Backend].
func (b *Replica) Write(_ context.Context, w *store.Write) (written store.Written, err error) {
	key := w.Transition.Thread.Key
	err = b.change(key, func(r *row, now time.Time) (*row, []store.Event, error) {
		switch {
		case r == nil && w.Lease != nil:
			return nil, nil, state.ErrLeaseLost
		case r == nil && (w.Base.Exists() || w.Begins && w.Transition.Thread.Fence <= b.cluster.floors[key]):
			return nil, nil, store.ErrConflict
		case r == nil:
			r = &row{
				thread: &state.Thread{Key: key}, born: w.Born, first: w.Transition.Thread.Fence,
				known: map[string]state.Place{}, tokens: map[string]state.Token{},
			}
		case r.tag == w.Tag: // it is done
			written = store.Written{Before: r.thread.Last, Last: r.thread.Last}
			return nil, nil, nil
		}
		next, err := w.Prepare(r.thread, r.tag, now)
		if err != nil {
			return nil, nil, err
		}
		before := r.thread
		r = r.clone()
		r.apply(w.Transition, now)
		next.Last = r.thread.Last
		r.thread, r.tag, r.deadline = next, w.Tag, w.Deadline
		if w.Begins {
			r.fences = append(slices.Clip(r.fences), next.Fence)
		}
		written = store.Written{Before: before.Last, Last: next.Last}
		return r, eventsOf(w, before), nil
	})
	return written, err
}

// eventsOf are the events of a transition.
func eventsOf(w *store.Write, before *state.Thread) []store.Event {
	thread := before.Key.Digest()
	var events []store.Event
	if w.Takes {
		events = append(events,
			store.Event{Kind: store.EventSignal, Thread: thread, Fence: before.Live.Fence, Signal: state.SignalLost})
	}
	if w.Transition.Thread.Live == nil {
		events = append(events, store.Event{Kind: store.EventTurn, Thread: thread})
	}
	return events
}

// Append adds frames to a log; see [store.Backend].
func (b *Replica) Append(_ context.Context, l *state.Lease, revision int64, after state.FrameID,
	frames []state.Frame) (before state.FrameID, told state.Flags, err error) {
	err = b.change(l.Key, func(r *row, _ time.Time) (*row, []store.Event, error) {
		if r == nil || !r.thread.HeldBy(l) || r.thread.Rev < revision {
			return nil, nil, state.ErrLeaseLost
		}
		before, told = r.thread.Last, r.thread.Live.Flags()
		if before.Less(after) {
			return nil, nil, state.ErrGap
		}
		r = r.clone()
		r.append(frames)
		return r, nil, nil
	})
	return before, told, err
}

// UpdateAttempt updates a live attempt; see [store.Backend].
func (b *Replica) UpdateAttempt(_ context.Context, key state.Key, u store.AttemptUpdate) (a store.Attempt, err error) {
	err = b.change(key, func(r *row, now time.Time) (*row, []store.Event, error) {
		switch {
		case r == nil && u.Lease != nil:
			return nil, nil, state.ErrLeaseLost
		case r == nil:
			return nil, nil, state.ErrUnknownThread
		}
		live, err := u.Apply(r.thread, now)
		a = store.AttemptOf(live, now)
		if err != nil || live == nil {
			return nil, nil, err
		}
		r = r.clone()
		thread := *r.thread
		thread.Live, r.thread = live, &thread
		if u.Op != store.AttemptSignal {
			return r, nil, nil
		}
		return r, []store.Event{{Kind: store.EventSignal, Thread: key.Digest(), Fence: live.Fence, Signal: u.Signal}},
			nil
	})
	return a, err
}

// UpdateQueue changes the queue of a thread; see [store.Backend].
func (b *Replica) UpdateQueue(_ context.Context, key state.Key,
	u store.QueueUpdate) (t *state.Thread, now time.Time, err error) {
	err = b.change(key, func(r *row, at time.Time) (*row, []store.Event, error) {
		now = at
		if r == nil {
			return nil, nil, state.ErrUnknownThread
		}
		queue, err := u.Prepare(r.thread, r.tag, at)
		if err != nil {
			return nil, nil, err
		}
		thread := *r.thread
		thread.Queue, t = queue, &thread
		r = r.clone()
		r.thread = &thread
		if u.Op != store.QueueLeave {
			return r, nil, nil
		}
		return r, []store.Event{{Kind: store.EventTurn, Thread: key.Digest()}}, nil
	})
	return t, now, err
}

// Delete removes a thread; see [store.Backend].
func (b *Replica) Delete(_ context.Context, key state.Key) (fence uint64, err error) {
	c := b.cluster
	c.mu.Lock()
	r := c.row(key)
	if r == nil {
		c.mu.Unlock()
		return 0, state.ErrUnknownThread
	}
	fence = r.thread.Fence
	if r.thread.Live != nil {
		last, err := state.DeletedFrame(r.thread.NextFrame(), c.o.Now().UnixMilli())
		if err != nil {
			c.mu.Unlock()
			return 0, err
		}
		r = r.clone()
		r.append([]state.Frame{last})
	}
	c.remove(r)
	c.mu.Unlock()
	thread := key.Digest()
	c.tell(nil, []store.Event{
		{Kind: store.EventSignal, Thread: thread, Fence: fence, Signal: state.SignalStop},
		{Kind: store.EventTurn, Thread: thread},
		{Kind: store.EventGrown, Thread: thread},
	})
	return fence, nil
}

// Purge removes what Delete has left; see [store.Backend].
func (b *Replica) Purge(_ context.Context, key state.Key) error {
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	delete(b.cluster.dead, key)
	return nil
}

// ReadLog reads a log behind a frame; see [store.Backend].
func (b *Replica) ReadLog(_ context.Context, key state.Key, after state.FrameID) (*store.LogPage, error) {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	page := &store.LogPage{End: after}
	r := c.row(key)
	if r == nil {
		r = c.dead[key]
		if r == nil || after.IsZero() || after.Fence < r.first || after.Fence > r.thread.Last.Fence ||
			!c.o.Now().Before(r.deadline) {
			return page, nil
		}
	} else {
		page.Born, page.Last, page.Cut = r.born, r.thread.Last, r.cut
		page.Lost = r.lost(after)
	}
	page.Frames = r.behind(after)
	if n := len(page.Frames); n > 0 {
		page.End = page.Frames[n-1].ID
	}
	if page.End.Less(page.Last) {
		page.End = page.Last
	}
	return page, nil
}

// FollowLog is ReadLog of a log that is followed; see [store.LogFollower].
func (b *Replica) FollowLog(ctx context.Context, key state.Key, after state.FrameID,
	number int64) (*store.LogPage, bool, error) {
	b.cluster.mu.Lock()
	b.followed[key] = max(b.followed[key], number)
	b.cluster.mu.Unlock()
	page, err := b.ReadLog(ctx, key, after)
	return page, true, err
}

// UnfollowLog ends that; see [store.LogFollower].
func (b *Replica) UnfollowLog(key state.Key, number int64) {
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	if b.followed[key] == number {
		delete(b.followed, key)
	}
}

// Holds reports whether a log has a frame; see [store.Backend].
func (b *Replica) Holds(_ context.Context, key state.Key, id state.FrameID) (bool, error) {
	if r := b.look(key); r != nil {
		return r.holds(id), nil
	}
	return false, state.ErrUnknownThread
}

// State returns the state at a revision; see [store.Backend].
func (b *Replica) State(_ context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	if r := b.look(key); r != nil {
		return r.stateAt(rev)
	}
	return nil, state.ErrUnknownThread
}

// Messages returns the conversation at a revision; see [store.Backend].
func (b *Replica) Messages(_ context.Context, key state.Key, rev int64) (state.Conversation, error) {
	if r := b.look(key); r != nil {
		return r.messagesAt(rev)
	}
	return nil, state.ErrUnknownThread
}

// Find returns the threads of a name; see [store.Backend].
func (b *Replica) Find(_ context.Context, principal, id string) ([]state.Key, error) {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []state.Key
	for _, r := range c.all() {
		if key := r.thread.Key; key.Principal == principal && key.ID == id {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Index yields the threads of a principal; see [store.Backend].
func (b *Replica) Index(_ context.Context, q store.IndexQuery) iter.Seq2[store.IndexEntry, error] {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []store.IndexEntry
	for _, r := range c.all() {
		t := r.thread
		at := state.CursorOf(t)
		if t.Key.Principal != q.Principal || q.Agent != "" && t.Key.Agent != q.Agent ||
			q.From != nil && at.Compare(*q.From) <= 0 {
			continue
		}
		list = append(list, store.IndexEntry{At: at, Summary: state.Summary{
			Key: t.Key, Status: state.StatusOf(t, &facts{row: r}, c.o.Now()), Title: t.Title, CreatedAt: t.CreatedAt,
			UpdatedAt: t.UpdatedAt,
			Calls:     len(t.OpenCalls()),
		}})
	}
	slices.SortFunc(list, func(a, b store.IndexEntry) int { return a.At.Compare(b.At) })
	return func(yield func(store.IndexEntry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Stored returns the bytes of a principal's threads; see [store.Backend].
func (b *Replica) Stored(_ context.Context, principal string) (int64, error) {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 0
	for _, r := range c.all() {
		if r.thread.Key.Principal != principal {
			continue
		}
		size += len(r.state)
		for _, m := range r.messages {
			if m != nil {
				size += len(m.Raw)
			}
		}
		for _, f := range r.frames {
			size += len(f.Data)
		}
	}
	return int64(size), nil
}

// Overdue returns the threads that a live run's owner has left; see [store.Backend].
func (b *Replica) Overdue(_ context.Context, limit int) ([]state.Key, error) {
	c := b.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []state.Key
	for _, r := range c.all() {
		if r.thread.Overdue(c.o.Now()) && (limit == 0 || len(keys) < limit) {
			keys = append(keys, r.thread.Key)
		}
	}
	return keys, nil
}
