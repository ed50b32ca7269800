package simstore

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A row is a thread with the values that are kept beside it. A stored row is immutable.
type row struct {
	thread    *state.Thread
	tag, born string
	first     uint64 // the fence it was made with
	deadline  time.Time

	messages []*state.StoredMessage // by slot; nil if it is empty
	known    map[string]state.Place
	tokens   map[string]state.Token
	state    json.RawMessage
	past     document.History
	runs     []state.Run // before the newest, newest first

	frames  []state.Frame
	fences  []uint64 // of the attempts
	ends    []end    // of the runs that are over, oldest first
	cut     state.FrameID
	trimmed int64 // the revision of the newest run that the log has lost

	replaced []replaced // oldest first
	size     int        // bytes of replaced
	dropped  int64      // the revision that took away the newest message that is not kept
}

// An end is that of a run in the log.
type end struct {
	last state.FrameID
	at   time.Time
	rev  int64
}

// A replaced value is a state or a message of an earlier revision.
type replaced struct {
	from, to int64
	state    json.RawMessage
	message  *state.StoredMessage
}

// clone returns a copy that may be changed.
func (r *row) clone() *row {
	n := *r
	n.messages, n.known, n.tokens = slices.Clone(r.messages), maps.Clone(r.known), maps.Clone(r.tokens)
	n.frames, n.ends, n.replaced = slices.Clip(r.frames), slices.Clone(r.ends), slices.Clone(r.replaced)
	return &n
}

// apply makes the changes of a transition other than that of the thread itself.
func (r *row) apply(s *state.Transition, now time.Time) {
	if s.State != nil {
		r.keep(replaced{from: r.thread.StateRev, to: s.Thread.Rev, state: r.state})
		r.state = s.State
	}
	if s.Past != nil {
		r.past = document.History{Marks: s.Past}
	}
	if s.Mark != nil {
		r.past = r.past.With(s.Mark.Name, s.Mark.Undo)
	}
	if s.Ended != nil {
		r.runs = slices.Insert(slices.Clone(r.runs), 0, *s.Ended)
		r.runs = r.runs[:min(len(r.runs), state.MaxRuns-1)]
	}
	for _, id := range s.Left {
		place := r.known[id]
		r.replace(s, place.Slot)
		r.messages[place.Slot] = nil
		place.Left = true
		r.known[id] = place
	}
	for i := range s.Append {
		m := &s.Append[i]
		for len(r.messages) <= m.Slot {
			r.messages = append(r.messages, nil)
		}
		r.replace(s, m.Slot)
		r.messages[m.Slot], r.known[m.ID] = m, m.Place()
	}
	r.messages = r.messages[:s.Thread.Slots]
	for _, token := range s.Tokens {
		r.tokens[token.Interrupt.ID] = token
	}
	for _, id := range s.Evicted {
		delete(r.tokens, id)
	}
	r.append(s.Frames)
	if s.Thread.Live == nil {
		r.endRun(now, s.Thread.Rev)
	}
}

func (r *row) replace(s *state.Transition, slot int) {
	if m := r.messages[slot]; m != nil {
		r.keep(replaced{from: m.Added, to: s.Thread.Rev, message: m})
	}
}

// keep keeps a value that is replaced, as long as frames of the log may name a revision that had it.
func (r *row) keep(old replaced) {
	if shown := r.thread.Shown; old.from > shown || shown <= r.trimmed {
		r.drop(old)
		return
	}
	r.replaced = append(r.replaced, old)
	r.size += old.bytes()
	for r.size > state.MaxReplaced && len(r.ends) > 0 {
		r.dropEnds(1)
	}
}

func (r replaced) bytes() int {
	if r.message != nil {
		return len(r.message.Raw)
	}
	return len(r.state)
}

func (r *row) drop(old replaced) {
	if old.message != nil {
		r.dropped = old.to
	}
}

// append adds the frames that are not there.
func (r *row) append(frames []state.Frame) {
	thread := *r.thread
	for _, f := range frames {
		if thread.Last.Less(f.ID) {
			r.frames, thread.Last = append(r.frames, f), f.ID
		}
	}
	r.thread = &thread
}

// endRun notes that all frames belong to runs that are over.
func (r *row) endRun(now time.Time, rev int64) {
	n := len(r.ends)
	switch {
	case len(r.frames) == 0:
		r.trimmed = rev
	case n > 0 && r.ends[n-1].last == r.thread.Last:
		r.ends[n-1].rev = rev
	default:
		r.ends = append(r.ends, end{last: r.thread.Last, at: now, rev: rev})
	}
}

// over returns how many runs ended at a moment or before.
func (r *row) over(cutoff time.Time) int {
	n := 0
	for n < len(r.ends) && !r.ends[n].at.After(cutoff) {
		n++
	}
	return n
}

// dropEnds removes the oldest runs from the log.
func (r *row) dropEnds(n int) {
	last := r.ends[n-1]
	r.trimmed, r.cut, r.ends = last.rev, last.last, slices.Delete(r.ends, 0, n)
	r.frames = r.behind(last.last)
	for len(r.replaced) > 0 && r.replaced[0].to <= r.trimmed+1 {
		r.drop(r.replaced[0])
		r.size -= r.replaced[0].bytes()
		r.replaced = r.replaced[1:]
	}
}

// behind returns the frames behind one.
func (r *row) behind(after state.FrameID) []state.Frame {
	i, found := slices.BinarySearchFunc(r.frames, after,
		func(f state.Frame, id state.FrameID) int { return f.ID.Compare(id) })
	if found {
		i++
	}
	return slices.Clip(r.frames[i:])
}

func (r *row) holds(id state.FrameID) bool {
	_, found := slices.BinarySearchFunc(r.frames, id,
		func(f state.Frame, id state.FrameID) int { return f.ID.Compare(id) })
	return found
}

// lost reports whether the log had a frame, or the place before an attempt, and does not have it any more. The owner of
// a live attempt may append a frame again.
func (r *row) lost(at state.FrameID) bool {
	switch live := r.thread.Live; {
	case at.IsZero(), !r.cut.Less(at), at == r.thread.Last, r.holds(at):
		return false
	case at.Seq == 0:
		return !slices.Contains(r.fences, at.Fence)
	default:
		return live == nil || live.Fence != at.Fence
	}
}

func (r *row) stateAt(rev int64) (json.RawMessage, error) {
	if rev < 0 || rev >= r.thread.StateRev {
		return r.state, nil
	}
	for _, old := range r.replaced {
		if old.message == nil && old.to > rev && old.from <= rev {
			return old.state, nil
		}
	}
	return nil, state.ErrRevision
}

func (r *row) messagesAt(rev int64) (state.Conversation, error) {
	if now := r.thread.Rev; rev < 0 || rev > now {
		rev = now
	}
	if rev < r.dropped && rev <= r.trimmed {
		return nil, state.ErrRevision
	}
	list := []state.StoredMessage{}
	for _, m := range r.messages {
		if m != nil && m.Added <= rev {
			list = append(list, *m)
		}
	}
	for _, old := range r.replaced {
		if old.message != nil && old.from <= rev && rev < old.to {
			list = append(list, *old.message)
		}
	}
	slices.SortFunc(list, func(a, b state.StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return state.NewConversation(list), nil
}
