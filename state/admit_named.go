package state

import (
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A naming says which part of the conversation a request's list names. The order of the list does not matter: what
// it names stays, wherever it stands.
type naming struct {
	// last is the last message of the conversation that the list names, empty if it names none.
	last string
	// next is the message behind last; nil if the conversation ends there. Where the list names nothing, only a request
	// that edits gets.
	next *StoredMessage
	// beginning says that the list names everything up to last, at least one message, and nothing that left.
	// Reasoning and activities may be missing: not every client keeps them.
	beginning bool
	// spoken says that the list names a message of a user or an agent. Many clients send one system message with each
	// request.
	spoken bool
}

// edits reports whether the list alone asks for an edit: it keeps the beginning of the conversation, up to a message
// that a caller may have changed. A list that breaks off before an answer is that of a client that keeps no answers,
// and one that names only system messages is that of a client that sends its new message and them.
func (n naming) edits() bool {
	return n.beginning && n.spoken && n.next != nil && asks(n.next.Role)
}

// named compares the request's list with the conversation. It looks at the part behind the last message that is named,
// and at all of it only if messages before that are not.
func (a *admission) named() naming {
	ids, stale, spoken := map[string]bool{}, false, false
	for _, m := range a.r.Messages {
		place, ok := a.known(m.ID)
		switch {
		case ok && place.Left:
			stale = true
		case ok:
			ids[m.ID] = true
			spoken = spoken || place.Role == agui.RoleUser || place.Role == agui.RoleAssistant
		}
	}
	switch len(ids) {
	case 0:
		if !a.r.Edit {
			return naming{}
		}
	case a.t.Count:
		return naming{last: a.t.LastMessage, beginning: !stale}
	}
	list, whole := endOf(a.facts, func(_ StoredMessage, settled bool) bool { return settled },
		slices.Collect(maps.Keys(ids))...)
	named := func(m StoredMessage) bool { return ids[m.ID] }
	last := lastIndex(list, named)
	n := naming{spoken: spoken}
	if last+1 < len(list) {
		n.next = &list[last+1]
	}
	if last < 0 {
		return n
	}
	n.last = list[last].ID
	before := a.t.Count - (len(list) - last) // how many there are before the last one named
	if stale || len(ids) == before+1 {
		n.beginning = !stale
		return n
	}
	if !whole {
		list, _ = endOf(a.facts, func(StoredMessage, bool) bool { return false })
		last = lastIndex(list, named)
	}
	n.beginning = !slices.ContainsFunc(list[:last], func(m StoredMessage) bool {
		return !ids[m.ID] && m.Role != agui.RoleReasoning && m.Role != agui.RoleActivity
	})
	return n
}

// lastIndex returns the index of the last message that is wanted, -1 if there is none.
func lastIndex(list Conversation, wanted func(StoredMessage) bool) int {
	for i, m := range slices.Backward(list) {
		if wanted(m) {
			return i
		}
	}
	return -1
}

// A rewrite is a message of the conversation that a request has edited in place: it sends the id with another text.
type rewrite struct {
	after string // the message before it; empty for the first one
	run   uint64 // the run that brought it
}

// rewritten gives the last message of a request that may edit a new id, if the thread has it with another text: ids are
// never used twice. The new id follows from the old one and the text, so that a repeated request is known.
func rewritten(f Facts, r *Request) (*Request, *rewrite) {
	last := len(r.Messages) - 1
	if last < 0 || !r.Edit && !r.Regenerate && !r.ListEdits && !r.ListRegenerates {
		return r, nil
	}
	m := r.Messages[last]
	place, known := f.Known(m.ID)
	if !known || m.Role != agui.RoleUser || place.Role != agui.RoleUser || !m.Content.IsText() {
		return r, nil
	}
	text := m.Content.Text()
	id := "edit-" + Hash([]byte(m.ID), []byte(text))[:24]
	before, done := f.Known(id)
	w := &rewrite{run: place.Run}
	switch {
	case done && before.Left:
		return r, nil
	case done:
		w = nil
	case place.Left || !w.find(f, r, text):
		return r, nil
	}
	edited := *r
	edited.Messages = slices.Clone(r.Messages)
	edited.Messages[last].ID = id
	return &edited, w
}

// find looks for the request's last message in the conversation. It reports whether that has another text there, and
// the request names nothing after it.
func (w *rewrite) find(f Facts, r *Request, text string) bool {
	id := r.Messages[len(r.Messages)-1].ID
	list, _ := endOf(f, func(m StoredMessage, settled bool) bool { return settled && m.ID != id }, id)
	at := list.index(id)
	if at < 0 {
		return false
	}
	if at > 0 {
		w.after = list[at-1].ID
	}
	old, err := list[at].Message()
	return err == nil && (!old.Content.IsText() || old.Content.Text() != text) &&
		!slices.ContainsFunc(list[at+1:], func(m StoredMessage) bool {
			return slices.ContainsFunc(r.Messages, func(n agui.Message) bool { return n.ID == m.ID })
		})
}

// continuesLeft reports whether the newest message of a user or an agent in the request is no longer part of the
// conversation. The request then continues another branch. Clients keep reasoning and activities of branches, so these
// do not count.
func (a *admission) continuesLeft() bool {
	for _, m := range slices.Backward(a.r.Messages) {
		if place, ok := a.known(m.ID); ok && (place.Role == agui.RoleUser || place.Role == agui.RoleAssistant) {
			return place.Left
		}
	}
	return false
}

// repeatsLeft reports whether the request asks to edit or regenerate a message of another branch and adds nothing.
func (a *admission) repeatsLeft() bool {
	return (a.r.Edit || a.r.Regenerate) && a.continuesLeft() && !slices.ContainsFunc(a.newMessages, a.adds)
}
