package memstore

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A replaced value is a state, or a version of a message, that frames of the log may still name.
type replaced struct {
	from, to int64 // the revisions of the transitions that brought it and took it away
	state    json.RawMessage
	message  *state.StoredMessage // nil: it is a state
}

func (r replaced) size() int {
	if r.message != nil {
		return len(r.message.Raw)
	}
	return len(r.state)
}

// memory returns the size of a replaced value.
func (r replaced) memory() int64 {
	if r.message != nil {
		return replacedCost + messageSize(r.message)
	}
	return replacedCost + int64(len(r.state))
}

// stateAt returns the state at a revision, and false if it is not kept any more.
func (e *entry) stateAt(rev int64) (json.RawMessage, bool) {
	if rev < 0 || rev >= e.thread.Load().StateRev {
		return e.state, true
	}
	for _, old := range e.replaced {
		if old.message == nil && old.to > rev {
			return old.state, old.from <= rev
		}
	}
	return nil, false
}

// messagesAt returns the conversation at a revision, and false if it is not kept any more.
func (e *entry) messagesAt(rev int64) (state.Conversation, bool) {
	now := e.thread.Load().Rev
	if rev < 0 || rev > now {
		rev = now
	}
	if rev < e.dropped && rev <= e.log.trimmed {
		return nil, false
	}
	list := make([]state.StoredMessage, 0, len(e.messages))
	for _, m := range e.messages {
		if m != nil && m.Added <= rev {
			list = append(list, *m)
		}
	}
	n := len(list)
	for _, old := range e.replaced {
		if old.message != nil && old.from <= rev && rev < old.to {
			list = append(list, *old.message)
		}
	}
	if len(list) > n {
		slices.SortFunc(list, func(a, b state.StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	}
	return state.NewConversation(list), true
}

// remember stores the state of a transition, and what it adds to the past. The thread is still the one before it.
func (e *entry) remember(s *state.Transition) {
	if s.State != nil {
		e.keep(replaced{from: e.thread.Load().StateRev, to: s.Thread.Rev, state: e.state})
		e.state = s.State
		e.size.state = int64(len(s.State))
	}
	if s.Past != nil {
		e.past = document.History{Marks: s.Past}
	}
	if s.Mark != nil {
		e.past = e.past.With(s.Mark.Name, s.Mark.Undo)
	}
	if s.Past != nil || s.Mark != nil {
		e.size.past = pastSize(e.past)
	}
	if s.Ended != nil {
		e.runs = slices.Insert(slices.Clone(e.runs), 0, *s.Ended)
		e.runs = e.runs[:min(len(e.runs), state.MaxRuns-1)]
		e.size.runs = runsSize(e.runs)
	}
}

// replace keeps the message in a slot that a transition empties or fills.
func (e *entry) replace(s *state.Transition, slot int) {
	if m := e.messages[slot]; m != nil {
		e.size.messages -= messageSize(m)
		e.keep(replaced{from: m.Added, to: s.Thread.Rev, message: m})
	}
}

// keep stores a replaced value if frames of the log name it.
func (e *entry) keep(old replaced) {
	if shown := e.thread.Load().Shown; old.from > shown || shown <= e.log.trimmed {
		e.drop(old)
		return
	}
	e.replaced = append(e.replaced, old)
	e.replacedSize += old.size()
	e.size.replaced += old.memory()
	for e.replacedSize > state.MaxReplaced && len(e.log.ends) > 0 {
		e.log.drop(1)
		e.forgetReplaced()
	}
}

// drop notes that a value is not kept.
func (e *entry) drop(old replaced) {
	if old.message != nil {
		e.dropped = old.to
	}
}

// trim removes the runs that ended at cutoff or before, and the replaced values that only their frames name.
func (e *entry) trim(cutoff time.Time) {
	e.log.trim(cutoff)
	e.forgetReplaced()
}

// trim is that of the entry, which is locked, with the books kept up to date.
func (b *backend) trim(e *entry, cutoff time.Time) {
	n := len(e.log.ends)
	e.trim(cutoff)
	if len(e.log.ends) < n && !e.gone {
		b.note(e)
	}
}

// forgetReplaced removes the replaced values that no frame of the log names any more.
func (e *entry) forgetReplaced() {
	n := 0
	for n < len(e.replaced) && e.replaced[n].to <= e.log.trimmed+1 {
		e.replacedSize -= e.replaced[n].size()
		e.size.replaced -= e.replaced[n].memory()
		e.drop(e.replaced[n])
		n++
	}
	e.replaced = slices.Delete(e.replaced, 0, n)
}
