package state

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// ForkStep is the first step of a new thread, key, that begins as t was at a message: with the conversation up
// to it and the state at the end of its run if it is that run's last message, else at the run's start; the
// oldest kept state where that is gone. Questions and open calls stay behind: calls of the last message keep
// the results they have, and those without any are not answered. ErrUnknownMessage: t has no such message.
func ForkStep(t *Thread, f Facts, messageID string, key Key, now time.Time) (*Step, error) {
	all := f.Messages()
	list := Conversation(all, t.Rev)
	at := slices.IndexFunc(list, func(m agui.Message) bool { return m.ID == messageID })
	if at < 0 {
		return nil, ErrUnknownMessage
	}
	state, err := stateAt(t, f, all, messageID)
	if err != nil {
		return nil, err
	}
	s := next(&Thread{Key: key}, now)
	if len(state) > 0 {
		s.setState(state)
	}
	open := map[string]bool{}
	for i, m := range list {
		if i > at && !open[m.ToolCallID] {
			break
		}
		delete(open, m.ToolCallID)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
		s.add(0, m)
	}
	for _, m := range list[:at+1] {
		for _, c := range m.ToolCalls {
			if open[c.ID] { // in the order the calls were made
				s.add(0, agui.Message{ID: "unanswered-" + c.ID, Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent(NotAnswered)})
			}
		}
	}
	if t.Title != "" {
		s.Thread.Title = t.Title
	}
	return s, nil
}

// stateAt is the state that belongs to a message of the conversation.
func stateAt(t *Thread, f Facts, all []StoredMessage, messageID string) (json.RawMessage, error) {
	place, _ := f.Known(messageID)
	last := ""
	for _, m := range all {
		if m.Run == place.Run {
			last = m.Message.ID
		}
	}
	newest := t.Newest()
	if newest == nil { // itself a fork that never ran
		return f.State(t.StateRev), nil
	}
	// The boundaries lead back from where the newest run began, as long as it goes on.
	present := t.StateRev
	if t.Live != nil {
		present = t.Live.StartRev
	}
	switch {
	case place.Run == newest.Origin && last == messageID:
		return f.State(t.StateRev), nil
	case place.Run == newest.Origin && t.Live != nil:
		return f.State(present), nil
	case last == messageID:
		return f.Past().Oldest(object(f.State(present)), endMark(place.Run))
	default:
		return f.Past().Oldest(object(f.State(present)), startMark(place.Run))
	}
}

// RenameStep sets the thread's title.
func RenameStep(t *Thread, title string, now time.Time) *Step {
	s := next(t, now)
	s.Thread.Title = title
	return s
}
