package state

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

// A Transition is one atomic change of a thread, computed from what the thread was. Stores write it as a whole,
// if the thread is still at the revision it was computed from, and know nothing of what it means.
type Transition struct {
	Thread  *Thread         // the thread after the transition
	State   json.RawMessage // the state from this transition on; nil: as it was
	Mark    *document.Mark  // joins the past, as its newest
	Past    []document.Mark // of a thread that is made: its past
	Ended   *Run            // joins the earlier runs, as the newest of them
	Append  []StoredMessage // join the conversation, or take the place of the version in their slot
	Left    []string        // ids that leave the conversation
	Tokens  []Token         // new or changed
	Evicted []string        // ids of tokens that the thread no longer keeps; see [MaxSettled]
	Frames  []Frame         // join the log
	Ticket  string          // leaves the queue; empty: none

	notWritten []string // pointers at which the caller changed what it may not write
	gone       []string // calls with messages that leave with this transition
	encoded    encoder
	err        error // of encoding a message
}

// newTransition starts a transition on t.
func newTransition(t *Thread, now time.Time) *Transition {
	n := *t
	n.Rev++
	n.UpdatedAt = now
	if n.CreatedAt.IsZero() {
		n.CreatedAt = now
	}
	return &Transition{Thread: &n}
}

// Grows returns about how many bytes the thread takes more after the transition: what it adds, without what it
// replaces.
func (s *Transition) Grows() int64 {
	n := len(s.State)
	for i := range s.Append {
		n += len(s.Append[i].Raw)
	}
	for i := range s.Frames {
		n += len(s.Frames[i].Data)
	}
	if s.Thread.Rev == 1 { // a fork has answers that were given elsewhere
		for _, a := range s.Thread.Answered {
			n += a.Size
		}
	}
	return int64(n)
}

// setState makes raw the state.
func (s *Transition) setState(raw json.RawMessage) {
	s.State, s.Thread.StateRev, s.Thread.Initial = raw, s.Thread.Rev, ""
}

// show notes that frames of the log name the revision this transition makes.
func (s *Transition) show() { s.Thread.Shown = s.Thread.Rev }

// add appends messages to the conversation on behalf of run.
func (s *Transition) add(run uint64, messages ...agui.Message) {
	for _, m := range messages {
		stored, err := s.encoded.message(m)
		if err != nil {
			s.err = err
			return
		}
		s.join(run, stored)
		if m.Role == agui.RoleUser && s.Thread.Title == "" {
			s.Thread.Title = title(m.Content.Text())
		}
	}
}

// join appends a message in the next slot.
func (s *Transition) join(run uint64, m StoredMessage) {
	n := s.Thread
	m.Slot, m.Added, m.Run = n.Slots, n.Rev, run
	s.Append = append(s.Append, m)
	n.Slots++
	n.Count++
	n.Size += len(m.Raw)
	n.LastMessage = m.ID
	if m.Role == agui.RoleUser {
		n.LastUser = m.ID
	}
}

// title is the beginning of text, at most 80 characters.
func title(text string) string {
	const most = 80
	return clip.Runes(string(bytes.Join(bytes.Fields([]byte(text)), []byte(" "))), most)
}

// idSize is about what a store takes beside its bytes for the id of a message that left, which it knows as long as the
// thread lives.
const idSize = 100

// cutAfter lets everything behind message id leave the conversation, and everything at all for an empty id. The
// results of calls that stay, stay: a hole in what a model is sent would be no edit but an error. It costs what leaves,
// not what the thread holds.
func (s *Transition) cutAfter(id string, f Facts) {
	n := s.Thread
	end, whole := endOf(f, func(m StoredMessage, settled bool) bool {
		return id != "" && settled && m.Role == agui.RoleUser
	}, id)
	calls := map[string]bool{}
	cut := id == ""
	n.Slots, n.LastMessage = 0, ""
	if whole {
		n.LastUser = ""
	}
	for _, m := range end {
		if cut && !calls[m.ToolCallID] {
			s.Left = append(s.Left, m.ID)
			s.gone = append(s.gone, m.Calls...)
			n.Count--
			n.Size -= len(m.Raw)
			n.Left += len(m.ID) + idSize
			continue
		}
		for _, call := range m.Calls {
			calls[call] = true
		}
		n.Slots = max(n.Slots, m.Slot+1)
		n.LastMessage = m.ID
		if m.Role == agui.RoleUser {
			n.LastUser = m.ID
		}
		cut = cut || m.ID == id
	}
}

// endOf returns the end of the conversation, from a message on at which enough says so. Enough gets whether the end is
// settled there: it has one of the wanted messages, and the messages that made the calls of its results. Whole says
// that it is all of the conversation.
func endOf(f Facts, enough func(m StoredMessage, settled bool) bool, wanted ...string) (end Conversation, whole bool) {
	var list []StoredMessage
	results, found := map[string]bool{}, false
	for m := range f.Messages() {
		list = append(list, m)
		for _, call := range m.Calls {
			delete(results, call)
		}
		if m.Role == agui.RoleTool {
			results[m.ToolCallID] = true
		}
		found = found || slices.Contains(wanted, m.ID)
		if enough(m, found && len(results) == 0) {
			slices.Reverse(list)
			return NewConversation(list), false
		}
	}
	slices.Reverse(list)
	return NewConversation(list), true
}

// notAnswered gives a result to calls that can no longer be answered.
func (s *Transition) notAnswered(run uint64, calls []string, newID func() string) {
	var answers []CallAnswer
	for _, id := range calls {
		m := agui.Message{ID: newID(), Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent(NotAnswered)}
		if s.Thread.open(id) {
			answers = append(answers, CallAnswer{Call: id, Message: m})
		} else if !slices.Contains(s.gone, id) {
			s.add(run, m) // of a server's call that an interrupt is bound to
		}
	}
	s.record(run, answers)
}

// NotAnswered is the result of an unanswered call.
const NotAnswered = "not answered"

// record notes the answers to frontend calls and puts them into the conversation, unless the call left it.
func (s *Transition) record(run uint64, answers []CallAnswer) {
	if len(answers) == 0 {
		return
	}
	s.Thread.Calls = slices.Clone(s.Thread.Calls)
	for _, a := range answers {
		for i := range s.Thread.Calls {
			if s.Thread.Calls[i].ID == a.Call && s.Thread.Calls[i].Answer == nil {
				m := a.Message
				s.Thread.Calls[i].Answer = &m
				if !slices.Contains(s.gone, a.Call) {
					s.add(run, m)
				}
			}
		}
	}
}

// expire records the questions after a message that have expired without an answer, before [Transition.forget].
func (s *Transition) expire(f Facts, after string) {
	for _, id := range s.Thread.Open {
		if token, ok := f.Token(id); ok && token.Status == TokenOpen && token.Expired(s.Thread.UpdatedAt) {
			s.answered(&token, after)
		}
	}
}

// forget drops the checkpoint and its questions.
func (s *Transition) forget(f Facts) {
	for _, id := range s.Thread.Open {
		if token, ok := f.Token(id); ok && token.Status != TokenUsed {
			token.Status = TokenDropped
			if s.isAnswered(id) {
				token.AnsweredAt = token.ExpiresAt
			} else {
				s.retire(id)
			}
			s.Tokens = append(s.Tokens, token)
		}
	}
	s.Thread.Checkpoint, s.Thread.Open, s.Thread.Calls, s.Thread.Kept = nil, nil, nil, nil
}

func startMark(run uint64) string { return "start:" + strconv.FormatUint(run, 10) }
func endMark(run uint64) string   { return "end:" + strconv.FormatUint(run, 10) }

// forkMark names the state that a fork began with, before its first request changed it.
const forkMark = "fork"
