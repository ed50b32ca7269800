package state

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// MaxReplaced is how many bytes of what was replaced a thread keeps for the frames of its log that name a revision. What
// is more costs the log its oldest runs, but not the live one.
const MaxReplaced = 8 << 20

// A replaced value is one that frames of the log may still name: a state, or a version of a message.
type replaced struct {
	from, to int64 // the revisions of the steps that brought it and took it away
	state    json.RawMessage
	message  *StoredMessage // nil: it is a state
}

func (r replaced) size() int {
	if r.message != nil {
		return len(r.message.Raw)
	}
	return len(r.state)
}

// Past, Runs and State are the [Facts] about what the thread was; the room is locked.
func (r *room) Past() History { return r.past }

// Runs returns the runs before the newest.
func (r *room) Runs() []Run { return r.runs }

// State returns the state at a revision.
func (r *room) State(rev int64) json.RawMessage {
	state, _ := r.stateAt(rev)
	return state
}

// stateAt returns the state at a revision, and false if it is not kept any more.
func (r *room) stateAt(rev int64) (json.RawMessage, bool) {
	if rev < 0 || rev >= r.thread.Load().StateRev {
		return r.state, true
	}
	for _, old := range r.replaced {
		if old.message == nil && old.to > rev {
			return old.state, old.from <= rev
		}
	}
	return nil, false
}

// messagesAt returns the conversation at a revision, and false if it is not kept any more.
func (r *room) messagesAt(rev int64) (Conversation, bool) {
	now := r.thread.Load().Rev
	if rev < 0 || rev > now {
		rev = now
	}
	if rev < r.dropped && rev <= r.log.trimmed {
		return nil, false
	}
	list := make([]StoredMessage, 0, len(r.messages))
	for _, m := range r.messages {
		if m != nil && m.Added <= rev {
			list = append(list, *m)
		}
	}
	n := len(list)
	for _, old := range r.replaced {
		if old.message != nil && old.from <= rev && rev < old.to {
			list = append(list, *old.message)
		}
	}
	if len(list) > n {
		slices.SortFunc(list, func(a, b StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	}
	return NewConversation(list), true
}

// remember takes over from a step what becomes part of the past, and its state. The thread is still the one before it.
func (r *room) remember(s *Step) {
	if s.State != nil {
		r.keep(replaced{from: r.thread.Load().StateRev, to: s.Thread.Rev, state: r.state})
		r.state = s.State
	}
	if s.Past != nil {
		r.past = History{Marks: s.Past}
	}
	if s.Mark != nil {
		r.past = r.past.With(s.Mark.Name, s.Mark.Undo)
	}
	if s.Ended != nil {
		r.runs = slices.Insert(slices.Clone(r.runs), 0, *s.Ended)
		r.runs = r.runs[:min(len(r.runs), MaxRuns-1)]
	}
}

// replace keeps the message that a step takes out of a slot, if there is one.
func (r *room) replace(s *Step, slot int) {
	if m := r.messages[slot]; m != nil {
		r.keep(replaced{from: m.Added, to: s.Thread.Rev, message: m})
	}
}

// keep keeps what was replaced for frames of the log that name it, if there are any.
func (r *room) keep(old replaced) {
	if shown := r.thread.Load().Shown; old.from > shown || shown <= r.log.trimmed {
		r.drop(old)
		return
	}
	r.replaced = append(r.replaced, old)
	r.replacedSize += old.size()
	for r.replacedSize > MaxReplaced && len(r.log.ends) > 0 {
		r.log.drop(1)
		r.forgetReplaced()
	}
}

// drop notes that a value is not kept.
func (r *room) drop(old replaced) {
	if old.message != nil {
		r.dropped = old.to
	}
}

// trim lets go of the runs that ended at cutoff or before, and of what only their frames name.
func (r *room) trim(cutoff time.Time) {
	r.log.trim(cutoff)
	r.forgetReplaced()
}

// forgetReplaced lets go of what no frame of the log names any more.
func (r *room) forgetReplaced() {
	n := 0
	for n < len(r.replaced) && r.replaced[n].to <= r.log.trimmed+1 {
		r.replacedSize -= r.replaced[n].size()
		r.drop(r.replaced[n])
		n++
	}
	r.replaced = slices.Delete(r.replaced, 0, n)
}
