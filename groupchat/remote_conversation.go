package groupchat

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// conversation is what the remote is sent of it: what the participant sees, as it was when the request was recorded,
// and all of the remote's own under the remote's ids. What others said are a user's words with their name in front: an
// assistant's the remote would take for its own, or, if it keeps threads, refuse.
func (x *exchange) conversation(given *delivery) []Message {
	all := messages(x.t.run)
	index := make(map[string]int, len(all))
	for i := range all {
		index[all[i].ID] = i
	}
	end := len(all)
	if last, ok := index[x.sent.Last]; ok {
		end = last + 1
	}
	view, seen := x.t.Messages(), map[string]bool{}
	for _, m := range view {
		seen[m.ID] = true
	}
	out := &outgoingMessages{x: x, used: map[string]bool{}, calls: map[string]string{}}
	before := x.t.prefixLen(all, x.t.record.After)
	if x.n > 0 || x.t.participant == nil { // of a root's only turn nothing is tried again
		before = len(all)
	}
	whole, since, next := x.t.seesAll(), x.t.record.After == "", 0
	upTo := func(i int) { // its own, which the view may lack or show in part
		for ; next < min(i, end); next++ {
			m := all[next]
			if seen[m.ID] || x.IsTheirs(&m) && (whole || since) {
				out.add(m)
			}
			if next < before && x.IsTheirs(&m) {
				x.answered = len(out.messages)
			}
			since = since || all[next].ID == x.t.record.After
		}
	}
	for _, m := range view {
		if i, there := index[m.ID]; there {
			upTo(i + 1)
		} else {
			out.add(m) // it was given to work on
		}
	}
	upTo(end)
	out.answer(given)
	if text := x.t.Instruction(); text != "" && x.n == 0 {
		out.messages = append(out.messages, Message{
			ID: "instruction-" + x.sent.RunID, Role: agui.RoleUser, Content: agui.TextContent(text),
		})
	}
	for i := range out.messages {
		x.Known[out.messages[i].ID] = true
	}
	return resultsBehindCalls(out.messages)
}

// resultsBehindCalls moves the results of calls right behind the messages that made them, where models insist on them:
// messages meanwhile, or before a call's answer turned out to be all that came of it, stands between them here.
func resultsBehindCalls(messages []Message) []Message {
	results := map[string][]Message{}
	made := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			made[c.ID] = true
		}
		if m.Role == agui.RoleTool && made[m.ToolCallID] {
			results[m.ToolCallID] = append(results[m.ToolCallID], m)
		}
	}
	ordered := make([]Message, 0, len(messages))
	for _, m := range messages {
		if m.Role == agui.RoleTool && made[m.ToolCallID] {
			continue
		}
		ordered = append(ordered, m)
		for _, c := range m.ToolCalls {
			ordered = append(ordered, results[c.ID]...)
			delete(results, c.ID) // an id that is there twice has them once
		}
	}
	return ordered
}

// seesAll reports whether nothing was chosen for the turn to see.
func (t *Turn) seesAll() bool {
	if t.visibility != nil &&
		(t.visibility.given != nil || t.visibility.context.Last || t.visibility.context.Select != nil) {
		return false
	}
	return t.participant == nil || !t.participant.Context.Last && t.participant.Context.Select == nil
}

// outgoingMessages are a conversation in the form in which a remote is sent it, under the remote's ids.
type outgoingMessages struct {
	x        *exchange
	messages []Message
	used     map[string]bool
	calls    map[string]string // ours → as sent
}

// id is what something is sent as: the remote's own id, once.
func (out *outgoingMessages) id(ours, theirs string) string {
	if out.used[theirs] {
		theirs = ours
	}
	out.used[theirs] = true
	return theirs
}

func (out *outgoingMessages) add(m Message) {
	m.SubagentRunID = ""
	if !out.x.IsTheirs(&m) {
		out.others(m)
		return
	}
	if out.x.Prefix != "" && m.Role == agui.RoleAssistant { // the name is what we gave it
		_, m.Name, _ = strings.Cut(m.Name, out.x.t.name()+".")
	}
	switch m.Role {
	case agui.RoleActivity:
		return // never sent back
	case agui.RoleTool:
		call, ok := out.calls[m.ToolCallID]
		if !ok {
			return
		}
		m.ToolCallID = call
	default:
	}
	ours := m.ID
	theirs := out.x.ID(ours, m.Metadata)
	calls := slices.Clone(m.ToolCalls)
	for i := range calls {
		c := &calls[i]
		id := out.x.ID(c.ID, c.Metadata)
		if c.ID == ours {
			theirs = id // the call made its own message
		}
		sent := out.callID(c.ID, id)
		out.calls[c.ID] = sent
		c.ID, c.Metadata = sent, withoutReserved(c.Metadata)
	}
	m.ToolCalls = calls
	m.ID, m.Metadata = out.id(ours, theirs), withoutReserved(m.Metadata)
	out.messages = append(out.messages, m)
}

// callID is id for calls: their ids are independent of messages.
func (out *outgoingMessages) callID(ours, theirs string) string {
	for _, sent := range out.calls {
		if sent == theirs {
			return ours
		}
	}
	return theirs
}

func (out *outgoingMessages) others(m Message) {
	switch m.Role {
	case agui.RoleUser, agui.RoleSystem, agui.RoleDeveloper:
	case agui.RoleAssistant:
		m = Message{ID: m.ID, Role: agui.RoleUser,
			Content: agui.TextContent(out.x.t.x.nameOf(m) + ": " + m.Content.Text())}
	default:
		return
	}
	m.Metadata = withoutReserved(m.Metadata)
	if !out.used[m.ID] {
		out.used[m.ID] = true
		out.messages = append(out.messages, m)
	}
}

// answer adds the results of frontend calls that the conversation has not.
func (out *outgoingMessages) answer(given *delivery) {
	if given == nil {
		return
	}
	for _, c := range given.pause.Calls {
		if slices.ContainsFunc(out.messages,
			func(m Message) bool { return m.Role == agui.RoleTool && m.ToolCallID == c.ID }) {
			continue
		}
		out.messages = append(out.messages, Message{
			ID: out.id("answer-"+c.ID, "result-"+c.ID), Role: agui.RoleTool, ToolCallID: c.ID,
			Content: given.results[c.ID],
		})
	}
}

// turnMeta is the member of metadata that says where in the team something belongs.
const turnMeta = "groupchat"
