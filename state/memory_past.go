package state

import (
	"encoding/json"
	"slices"
	"time"
)

// MaxReplaced is how many bytes of what was replaced a thread keeps for the frames of its log that name a revision. What
// is more costs the log its oldest runs, but not the live one.
const MaxReplaced = 8 << 20

// A replaced state is one that frames of the log may still name.
type replaced struct {
	from, to int64 // the revisions of the steps that brought it and took it away
	state    json.RawMessage
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
	i := slices.IndexFunc(r.replaced, func(s replaced) bool { return s.to > rev })
	if i < 0 || r.replaced[i].from > rev {
		return nil, false
	}
	return r.replaced[i].state, true
}

// remember takes over from a step what becomes part of the past. The thread is still the one before it.
func (r *room) remember(s *Step) {
	if s.State != nil {
		r.replace(r.thread.Load(), s)
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

// replace makes the step's state the present one, and keeps the one before for frames that name it.
func (r *room) replace(t *Thread, s *Step) {
	if t.StateRev <= t.Shown && t.Shown > r.log.trimmed {
		r.replaced = append(r.replaced, replaced{t.StateRev, s.Thread.Rev, r.state})
		r.replacedSize += len(r.state)
	}
	r.state = s.State
	for r.replacedSize > MaxReplaced && len(r.log.ends) > 0 {
		r.log.drop(1)
		r.forgetReplaced()
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
		r.replacedSize -= len(r.replaced[n].state)
		n++
	}
	r.replaced = slices.Delete(r.replaced, 0, n)
}
