package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
)

// An Entry is the part of a request for a message of the conversation, or for a part of one.
type Entry struct {
	model.Message
	ID     string // the id of the message; related entries share one. Empty: a message that was not shown
	Caller bool   // the caller said it
}

// A Composed request has the parts of the messages for a model: first the words of the system, in one message because
// not every server accepts more; then the conversation. Messages of other agents are messages of a user that begin with
// the name of the speaker, and each call is followed by its result. The variable part is in front of the last message
// of another speaker, or in the question: the part before it does not change, and the later actions of the agent stay
// together. Some servers accept no message of a user behind results of tools.
type Composed struct {
	Request model.Request // without messages
	System  string
	Entries []Entry
	Kept    int             // the number of entries that always stay; the gap is behind them
	Behind  []model.Message // messages of providers behind the conversation
	Now     []string        // the variable part
	// Question is the last message.
	Question string
	Seen     []agui.Message // the messages of the entries
}

// Notes in the conversation without a speaker. All are in messages of a user: not every server accepts a
// system's words anywhere but at the beginning, and some want the last word to be a user's.
const (
	leftOutText   = "[From the system: the conversation is long, and a part of it is left out here.]"
	summaryText   = "[From the system: the conversation is long. This summary stands for a part of it.]\n\n"
	situationText = "[From the system, not from a user. This is so now:]"
	goOnText      = "Go on."
)

// build is the request where what left has the note's summary in its place.
func (c *Composed) build(n *note) *model.Request {
	r, gap := c.Request, n.gap()
	length := len(c.Entries) + len(gap) + len(c.Behind)
	if c.System != "" {
		length++
	}
	if len(c.Now) > 0 || c.Question != "" || c.endsOwn() {
		length++
	}
	r.Messages = make([]model.Message, 0, length) // no longer: it is held while the model is waited for
	if c.System != "" {
		r.Messages = append(r.Messages, model.Message{Role: agui.RoleSystem, Text: c.System})
	}
	at := c.lastOther()
	for i, e := range c.Entries {
		if i == c.Kept {
			r.Messages = append(r.Messages, gap...)
		}
		if i == at && len(c.Now) > 0 {
			r.Messages = append(r.Messages, model.Message{Role: agui.RoleUser,
				Text: strings.Join(append([]string{situationText}, c.Now...), "\n\n")})
		}
		r.Messages = append(r.Messages, e.Message)
	}
	if c.Kept == len(c.Entries) {
		r.Messages = append(r.Messages, gap...)
	}
	r.Messages = append(r.Messages, c.Behind...)
	var last []string
	if at < 0 && len(c.Now) > 0 {
		last = append(append(last, situationText), c.Now...)
	}
	if c.Question != "" {
		last = append(last, c.Question)
	} else if c.endsOwn() {
		last = append(last, goOnText)
	}
	if last != nil {
		r.Messages = append(r.Messages, model.Message{Role: agui.RoleUser, Text: strings.Join(last, "\n\n")})
	}
	return &r
}

// lastOther is the place of the last message of another speaker; -1 if the variable part is at the end: there is none,
// a question follows, or the agent continues its own message.
func (c *Composed) lastOther() int {
	if c.Question != "" || c.endsOwn() {
		return -1
	}
	for i, e := range slices.Backward(c.Entries) {
		if e.Role == agui.RoleUser {
			return i
		}
	}
	return -1
}

// endsOwn reports whether the conversation ends with the agent's own message, or is empty.
func (c *Composed) endsOwn() bool {
	if n := len(c.Behind); n > 0 {
		return c.Behind[n-1].Role == agui.RoleAssistant
	}
	n := len(c.Entries)
	return n == 0 || c.Entries[n-1].Role == agui.RoleAssistant
}

// gap is the replacement of the omitted messages.
func (n *note) gap() []model.Message {
	switch {
	case n.Through == "":
		return nil
	case n.Summary == "":
		return []model.Message{{Role: agui.RoleUser, Text: leftOutText}}
	}
	return []model.Message{{Role: agui.RoleUser, Text: summaryText + n.Summary}}
}

// Place returns the number of omitted messages in seen. It is 0 if the note is of another conversation: messages may
// have been edited, or are not shown to the agent any more. A summary of such messages is forgotten.
func (s *Shortener) Place(seen []agui.Message) int {
	cut := s.note.place(seen)
	if cut == 0 && s.note.Through != "" {
		s.note.forget()
		s.passing = false
		s.save()
	}
	return cut
}

// place is how many of the messages in seen are left out, and 0 if the note is of another conversation.
func (n *note) place(seen []agui.Message) int {
	if n.Through == "" {
		return 0
	}
	for i := len(seen) - 1; i >= 0; i-- {
		if seen[i].ID == n.Through && sumOf(seen[i]) == n.Sum {
			return i + 1
		}
	}
	return 0
}

// Inherited is the request's part of seen, as messages: omitted messages have their place in a message of a user.
func (s *Shortener) Inherited(seen []agui.Message) []agui.Message {
	cut := s.note.place(seen)
	if cut == 0 {
		return seen
	}
	first, caller := s.Stays(seen, cut)
	var list []agui.Message
	for _, m := range seen[:cut] {
		if m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper {
			list = append(list, m)
		}
	}
	for _, m := range seen[:first] {
		if m.Role != agui.RoleSystem && m.Role != agui.RoleDeveloper {
			list = append(list, m)
		}
	}
	for _, m := range s.note.gap() {
		list = append(list,
			agui.Message{ID: s.note.Through + "/left-out", Role: m.Role, Content: agui.TextContent(m.Text)})
	}
	if caller >= 0 {
		list = append(list, seen[caller])
	}
	return slices.Concat(list, seen[cut:])
}

// Stays returns the messages of the omitted part that are in the request nevertheless: the first ones, up to the
// KeepFirst-th turn of the caller, and the last words of the caller, if the caller has said nothing since; -1 means
// that none are.
func (s *Shortener) Stays(seen []agui.Message, cut int) (first, caller int) {
	if turns := s.h.KeepFirst; turns > 0 && cut > 0 {
		first = cut
		for i, m := range seen[:cut] {
			if m.Role == agui.RoleUser && (i == 0 || seen[i-1].Role != agui.RoleUser) {
				if turns--; turns < 0 {
					first = i
					break
				}
			}
		}
	}
	isCaller := func(m agui.Message) bool { return m.Role == agui.RoleUser }
	if slices.ContainsFunc(seen[cut:], isCaller) {
		return first, -1
	}
	for i := cut - 1; i >= first; i-- {
		if isCaller(seen[i]) {
			return first, i
		}
	}
	return first, -1
}

// LeastResult is the least limit of a result, in bytes: a shorter part is useless.
const LeastResult = 256

// ClipResults cuts results to limit, 0 for none, or to less if a request was still too long. Reader is the name of the
// tool that reads the rest; empty: there is no such tool.
func (s *Shortener) ClipResults(entries []Entry, limit int, reader string) {
	if lower := s.note.clip; lower > 0 && (limit == 0 || lower < limit) {
		limit = lower
	}
	for i := range entries {
		e := &entries[i]
		if limit == 0 || e.Role != agui.RoleTool || len(e.Text) <= limit {
			continue
		}
		size, begin := len(e.Text), clip.Bytes(e.Text, limit)
		e.Text, e.Parts = begin+"\n[The rest was left out.]", nil
		if reader != "" {
			e.Text = fmt.Sprintf("%s\n[These are %d of %d bytes. The rest: %s with call %q and offset %d, or with "+
				"search.]",
				begin, len(begin), size, reader, e.CallID, len(begin))
		}
	}
}
