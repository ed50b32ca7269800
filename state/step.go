package state

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
)

// A Step is one atomic change of a thread, computed from what the thread was. Stores write it as a whole,
// if the thread is still at the revision it was computed from, and know nothing of what it means.
type Step struct {
	Thread *Thread         // the thread after the step
	State  json.RawMessage // the state from this step on; nil: as it was
	Mark   *Mark           // joins the past, as its newest
	Past   []Mark          // of a thread that is made: its past
	Ended  *Run            // joins the earlier runs, as the newest of them
	Append []StoredMessage // join the list; one with a known id is its new version, in the old place
	Left   []string        // ids that leave the conversation
	Tokens []Token         // new or changed
	Frames []agui.Frame    // join the log
	Ticket string          // leaves the queue; empty: none

	gone []string // calls whose messages leave with this step
}

// next starts a step on t.
func next(t *Thread, now time.Time) *Step {
	n := *t
	n.Rev++
	n.UpdatedAt = now
	if n.CreatedAt.IsZero() {
		n.CreatedAt = now
	}
	return &Step{Thread: &n}
}

// setState makes raw the state.
func (s *Step) setState(raw json.RawMessage) {
	s.State, s.Thread.StateRev = raw, s.Thread.Rev
}

// show notes that frames of the log name the revision this step makes.
func (s *Step) show() { s.Thread.Shown = s.Thread.Rev }

// add appends messages to the conversation on behalf of run.
func (s *Step) add(run uint64, messages ...agui.Message) {
	for _, m := range messages {
		s.Append = append(s.Append, StoredMessage{Message: m, Added: s.Thread.Rev, Run: run})
		s.Thread.Count++
		s.Thread.Size += messageSize(m)
		s.Thread.LastMessage = m.ID
		if m.Role == agui.RoleUser {
			s.Thread.LastUser = m.ID
			if s.Thread.Title == "" {
				s.Thread.Title = title(m.Content.Text())
			}
		}
	}
}

// title is the beginning of text, at most 80 characters.
func title(text string) string {
	const most = 80
	text = string(bytes.Join(bytes.Fields([]byte(text)), []byte(" ")))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// cutAfter lets everything behind message id leave the conversation, and everything at all for an empty id. The
// results of calls that stay, stay: a hole in what a model is sent would be no edit but an error.
func (s *Step) cutAfter(id string, all []StoredMessage) {
	n := s.Thread
	n.Count, n.Size, n.LastMessage, n.LastUser = 0, 0, "", ""
	calls := map[string]bool{}
	cut := id == ""
	for _, m := range Conversation(all, n.Rev) {
		if cut && !calls[m.ToolCallID] {
			s.Left = append(s.Left, m.ID)
			for _, c := range m.ToolCalls {
				s.gone = append(s.gone, c.ID)
			}
			continue
		}
		for _, c := range m.ToolCalls {
			calls[c.ID] = true
		}
		n.Count++
		n.Size += messageSize(m)
		n.LastMessage = m.ID
		if m.Role == agui.RoleUser {
			n.LastUser = m.ID
		}
		cut = cut || m.ID == id
	}
}

// messageSize is how many bytes m takes as JSON, nearly.
func messageSize(m agui.Message) int {
	raw, err := json.Marshal(m)
	if err != nil {
		return 0 // it will not be stored either
	}
	return len(raw)
}

// notAnswered gives calls that nobody will answer any more a result.
func (s *Step) notAnswered(run uint64, calls []string, newID func() string) {
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

// NotAnswered is the result of a call that nobody answered.
const NotAnswered = "not answered"

// record notes the answers to frontend calls and puts them into the conversation, unless the call left it.
func (s *Step) record(run uint64, answers []CallAnswer) {
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

// forget drops the checkpoint and its questions.
func (s *Step) forget(f Facts) {
	for _, id := range s.Thread.Open {
		if token, ok := f.Token(id); ok && token.Status != TokenUsed {
			token.Status = TokenDropped
			s.Tokens = append(s.Tokens, token)
		}
	}
	s.Thread.Checkpoint, s.Thread.Open, s.Thread.Calls, s.Thread.Kept = nil, nil, nil, nil
}

// Conversation renders the messages that were in the conversation at revision rev, in the order a client
// has them: a tool message stands behind the assistant message that made the call and its earlier results.
func Conversation(all []StoredMessage, rev int64) []agui.Message {
	var out []agui.Message
	at := map[string]int{}
	for _, m := range all {
		if m.Added > rev || m.Left != 0 && m.Left <= rev {
			continue
		}
		if i, ok := at[m.Message.ID]; ok {
			out[i] = m.Message
			continue
		}
		at[m.Message.ID] = len(out)
		out = append(out, m.Message)
	}
	return arrange(out)
}

// arrange moves tool messages to their calls.
func arrange(in []agui.Message) []agui.Message {
	owner := map[string]int{} // call → index of the message that made it
	results := map[int][]agui.Message{}
	moved := map[int]bool{}
	for i, m := range in {
		for _, c := range m.ToolCalls {
			owner[c.ID] = i
		}
		if at, ok := owner[m.ToolCallID]; ok && m.Role == agui.RoleTool {
			results[at] = append(results[at], m)
			moved[i] = true
		}
	}
	if len(moved) == 0 {
		return in
	}
	out := make([]agui.Message, 0, len(in))
	for i, m := range in {
		if !moved[i] {
			out = append(out, m)
			out = append(out, results[i]...)
		}
	}
	return out
}

func startMark(run uint64) string { return "start:" + strconv.FormatUint(run, 10) }
func endMark(run uint64) string   { return "end:" + strconv.FormatUint(run, 10) }

// forkMark names the state that a fork began with, before its first request changed it.
const forkMark = "fork"
