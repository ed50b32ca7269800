package state

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// PlanFork is the first transition of a new thread, key, that begins as t was at a message: with the conversation up to
// it and the state at the end of its run if it is that run's last message, else at the run's start; the oldest kept
// state where that is gone. The way back to the states before it comes along, for turns that are regenerated or edited
// there, and so do the questions that were answered in it. Open questions and open calls stay behind: calls of the last
// message keep the results they have, and those without any are not answered. ErrUnknownMessage: t has no such message.
func PlanFork(t *Thread, f Facts, messageID string, key Key, now time.Time) (*Transition, error) {
	list, _ := endOf(f, func(StoredMessage, bool) bool { return false })
	at := list.index(messageID)
	if at < 0 {
		return nil, ErrUnknownMessage
	}
	state, past, err := pastAt(t, f, list, messageID)
	if err != nil {
		return nil, err
	}
	s := newTransition(&Thread{Key: key, Fence: t.Fence}, now) // its runs are none of those that its messages name
	s.Past = past
	run, _ := runOf(t, f, list, messageID)
	whole := document.History{Marks: s.Past}
	s.Thread.Approximate = whole.Index(startMark(run)) < 0 && whole.Index(endMark(run)) < 0 &&
		f.Past().Approximate(startMark(run))
	s.Thread.Notes = t.Notes // agents look at whether a note is of what the fork has
	s.setState(state)
	open := map[string]bool{}
	for i, m := range list {
		if i > at && !open[m.ToolCallID] {
			break
		}
		delete(open, m.ToolCallID)
		for _, call := range m.Calls {
			open[call] = true
		}
		if m.Role == agui.RoleUser && s.Thread.Title == "" && t.Title == "" {
			first, err := m.Message()
			if err != nil {
				return nil, err
			}
			s.Thread.Title = title(first.Content.Text())
		}
		s.join(m.Run, m)
	}
	for _, m := range list[:at+1] {
		for _, call := range m.Calls {
			if open[call] { // in the order the calls were made
				s.add(0, agui.Message{ID: "unanswered-" + call, Role: agui.RoleTool, ToolCallID: call,
					Content: agui.TextContent(NotAnswered)})
			}
		}
	}
	s.copyAnswered(t, f, list[:at])
	if t.Title != "" {
		s.Thread.Title = t.Title
	}
	return s, s.err
}

// pastAt is the state that belongs to a message of the conversation, and the marks that lead back from it. The newest
// of them names that state, so that it is found again when the fork has run.
func pastAt(t *Thread, f Facts, list Conversation, messageID string) (json.RawMessage, []document.Mark, error) {
	run, last := runOf(t, f, list, messageID)
	newest, past := t.Run, f.Past()
	present := object(f.State(t.StateRev))
	if newest != nil && newest.Origin == run && t.Live == nil && last {
		return present, past.With(endMark(run), nil).Marks, nil
	}
	if t.Live != nil {
		// The past leads back from the beginning of the newest run, as long as it is live.
		start := object(f.State(t.Live.StartRev))
		if newest.Origin == run && last {
			undo, err := document.Diff(present, start)
			return present, past.With(startMark(run), undo).With(endMark(run), nil).Marks, err
		}
		if newest.Origin == run {
			return start, past.With(startMark(run), nil).Marks, nil
		}
		present = start
	}
	at := -1
	if last {
		at = past.Index(endMark(run))
	}
	if at < 0 { // a fork may have but the beginning of a run
		at = past.Index(startMark(run))
	}
	if at < 0 && len(past.Marks) == 0 {
		return present, nil, nil
	}
	at = max(0, at)
	state, err := past.Back(present, at)
	marks := slices.Clone(past.Marks[:at+1])
	marks[at].Undo = nil
	return state, marks, err
}

// runOf returns the run that brought a message of the conversation, and whether it ended with it: the message is the
// last one of the run, and the one that it ended with did not leave.
func runOf(t *Thread, f Facts, list Conversation, messageID string) (run uint64, last bool) {
	run = list[list.index(messageID)].Run
	if list[lastIndex(list, func(m StoredMessage) bool { return m.Run == run })].ID != messageID {
		return run, false
	}
	runs := f.Runs()
	if t.Run != nil {
		runs = append([]Run{*t.Run}, runs...)
	}
	for _, r := range runs {
		if r.Origin == run {
			place, _ := f.Known(r.LastMessage)
			return run, !place.Left
		}
	}
	return run, true
}

// PlanRename sets the thread's title.
func PlanRename(t *Thread, title string, now time.Time) *Transition {
	s := newTransition(t, now)
	s.Thread.Title = title
	return s
}
