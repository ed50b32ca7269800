package state

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

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
