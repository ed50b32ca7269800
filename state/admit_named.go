package state

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A naming says which part of the conversation a request's list names. The order of the list does not matter: what
// it names stays, wherever it stands.
type naming struct {
	// last is the last message of the conversation that the list names, empty if it names none.
	last string
	// next is the message behind last; nil if the conversation ends there.
	next *agui.Message
	// beginning says that the list names everything up to last, at least one message, and nothing that left.
	// Reasoning and activities may be missing: not every client keeps them.
	beginning bool
}

// edits reports whether the list alone asks for an edit: it keeps the beginning of the conversation, up to a message
// that a caller may have changed. A list that breaks off before an answer is that of a client that keeps no answers.
func (n naming) edits() bool { return n.beginning && n.next != nil && adds(*n.next) }

// named compares the request's list with the conversation. Only a list that leaves something out costs a look at all
// messages.
func (a *admission) named() naming {
	ids, stale := map[string]bool{}, false
	for _, m := range a.r.Messages {
		place, ok := a.known(m.ID)
		switch {
		case ok && place.Left:
			stale = true
		case ok:
			ids[m.ID] = true
		}
	}
	if len(ids) == a.t.Count {
		return naming{last: a.t.LastMessage, beginning: len(ids) > 0 && !stale}
	}
	list := Conversation(a.messages(), a.t.Rev)
	last := lastIndex(list, func(m agui.Message) bool { return ids[m.ID] })
	var n naming
	if last+1 < len(list) {
		n.next = &list[last+1]
	}
	if last >= 0 {
		n.last = list[last].ID
		n.beginning = !stale && !slices.ContainsFunc(list[:last], func(m agui.Message) bool {
			return !ids[m.ID] && m.Role != agui.RoleReasoning && m.Role != agui.RoleActivity
		})
	}
	return n
}

// lastIndex returns the index of the last message that is wanted, -1 if there is none.
func lastIndex(list []agui.Message, wanted func(agui.Message) bool) int {
	for i, m := range slices.Backward(list) {
		if wanted(m) {
			return i
		}
	}
	return -1
}
